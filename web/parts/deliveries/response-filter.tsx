/** The filter by answer: a class of answers, none at all, or one status that is typed. */
import clsx from "clsx";
import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { RESPONSE_CLASSES } from "./response-words.ts";

interface Props {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly className: string;
}

const CODE = "code";
const OPTIONS = [{ value: "", label: "Any response" }, ...RESPONSE_CLASSES, { value: CODE, label: "One status" }];

export function ResponseFilter({ value, onChange, className }: Props) {
  const isClass = value === null || value === "" || RESPONSE_CLASSES.some((known) => known.value === value);
  const [isTyping, setTyping] = useState(false);
  const isCode = !isClass || isTyping;
  const choose = (choice: string): void => {
    setTyping(choice === CODE);
    if (choice !== CODE) onChange(choice);
  };
  return (
    <div className={clsx(className, "flex gap-2", isCode && "basis-64!")}>
      <Field label="Response" isLabelHidden className="min-w-0 flex-1">
        {({ id }) => (
          <Select
            id={id}
            options={OPTIONS}
            value={isCode ? CODE : (value ?? "")}
            onChange={(event) => choose(event.target.value)}
          />
        )}
      </Field>
      {isCode && <CodeInput key={value} value={isClass ? "" : (value ?? "")} onChange={onChange} />}
    </div>
  );
}

/** Takes effect once it is a status: half a number would find nothing and say so at each key. */
function CodeInput({ value, onChange }: Pick<Props, "onChange"> & { readonly value: string }) {
  const [text, setText] = useState(value);
  const isBad = text !== "" && !/^[1-5]?$|^[1-5]\d{1,2}$/.test(text);
  const type = (typed: string): void => {
    setText(typed);
    if (/^[1-5]\d\d$/.test(typed)) onChange(typed);
  };
  return (
    <Field
      label="Status code"
      isLabelHidden
      isOptional
      error={isBad ? "A status is 100 to 599." : undefined}
      className="w-20 shrink-0"
    >
      {(control) => (
        <Input
          {...control}
          inputMode="numeric"
          maxLength={3}
          placeholder="503"
          value={text}
          onChange={(event) => type(event.target.value)}
        />
      )}
    </Field>
  );
}
