/** The filter by answer: a class of answers, none at all, or one status that is typed. */
import { useState } from "react";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Choices } from "./choices.tsx";
import { FilterMenu } from "./filter-menu.tsx";
import { RESPONSE_CLASSES, responseFilterLabel } from "./response-words.ts";

interface Props {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

export function ResponseFilter({ value, onChange }: Props) {
  const isOn = value !== null && value !== "";
  const isClass = RESPONSE_CLASSES.some((known) => known.value === value);
  return (
    <FilterMenu label="Response" value={isOn ? responseFilterLabel(value) : null} onClear={() => onChange(null)}>
      <Choices choices={RESPONSE_CLASSES} chosen={[value ?? ""]} onChoose={onChange} />
      <div className="mt-1 border-t border-line p-2">
        <CodeInput value={isOn && !isClass ? value : ""} onChange={onChange} />
      </div>
    </FilterMenu>
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
    <Field label="Status code" isOptional error={isBad ? "A status is 100 to 599." : undefined}>
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
