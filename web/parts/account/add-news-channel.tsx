/** The form that adds a channel. The address is typed once: it is not shown again. */
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useRef, useState } from "react";
import type { NewsChannel, NewsChannelsAnswer } from "../../../src/dashboard/contract/news-channels.ts";
import { ApiProblem } from "../../api-problem.ts";
import { useChange } from "../../query.ts";
import { useOwnersOnly } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Field, FieldError } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";
import { PasteHint } from "../paste-hint.tsx";
import { CHANNEL_WORDS } from "./channel-words.ts";

type Kind = NewsChannel["kind"];

const OPTIONS: readonly { readonly value: Kind; readonly label: string; readonly help: string }[] = [
  { value: "slack", label: CHANNEL_WORDS.slack, help: "The URL of an incoming webhook." },
  { value: "webhook", label: CHANNEL_WORDS.webhook, help: "JSON, signed as your other webhooks are." },
];

const EXAMPLES: Readonly<Record<Kind, string>> = {
  slack: "https://hooks.slack.com/services/…",
  webhook: "https://ops.example.com/bellwire",
};

interface Props {
  readonly answer: NewsChannelsAnswer;
}

export function AddNewsChannel({ answer: { channels, channelsMax, nameCharsMax } }: Props) {
  const client = useQueryClient();
  const nameInput = useRef<HTMLInputElement>(null);
  const urlInput = useRef<HTMLInputElement>(null);
  const [kind, setKind] = useState<Kind>("slack");
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const add = useChange("POST /news-channels", "GET /audit");
  const ownersOnly = useOwnersOnly("change who is told about failures");
  const isFull = channels.length >= channelsMax;
  const disabledReason =
    ownersOnly ?? (isFull ? "There are as many channels as there can be. Remove one first." : undefined);
  const errors = readErrors(add.error, add.variables?.body.name);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (disabledReason !== undefined) return;
    add.mutate(
      { body: { kind, name, url } },
      {
        onSuccess(saved) {
          client.setQueryData(["GET /news-channels", undefined], saved);
          // Text that was typed meanwhile stays.
          setName((now) => (now === name ? "" : now));
          setUrl((now) => (now === url ? "" : now));
        },
        onError: (error) => (readErrors(error, name).name === undefined ? urlInput : nameInput).current?.focus(),
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Add a channel" className="space-y-3">
      <RadioCards
        legend="Add a channel"
        options={OPTIONS}
        value={kind}
        onChange={setKind}
        disabled={ownersOnly !== undefined}
        isRow
      />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field label="Name" error={errors.name}>
          {(control) => (
            <Input
              {...control}
              ref={nameInput}
              value={name}
              maxLength={nameCharsMax}
              placeholder="#revops"
              readOnly={ownersOnly !== undefined}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Address" help="A secret: it is not shown again." error={errors.url}>
          {(control) => (
            <>
              <Input
                {...control}
                ref={urlInput}
                type="url"
                value={url}
                placeholder={EXAMPLES[kind]}
                readOnly={ownersOnly !== undefined}
                onChange={(event) => setUrl(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
              <PasteHint kind="url" value={url} control={control.id} error={errors.url} onUse={setUrl} />
            </>
          )}
        </Field>
      </div>
      <FieldError id="add-channel-error" message={errors.other} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" isBusy={add.isPending} disabledReason={disabledReason}>
          Add channel
        </Button>
        <p role="status" className="text-sm text-ink-soft">
          {add.isSuccess && `${add.variables.body.name} is added. Test it now.`}
        </p>
      </div>
    </form>
  );
}

interface Errors {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly other?: string | undefined;
}

/** Each at its field. A message about the address is a sentence already; `sent` is the name that was refused. */
function readErrors(error: Error | null, sent = ""): Errors {
  if (error === null) return {};
  const fields = error instanceof ApiProblem ? error.errors : [];
  const find = (path: string): string | undefined => fields.find((field) => field.path === path)?.message;
  if (fields.length === 0) return { other: error.message };
  const name = find("name");
  if (name === undefined) return { url: find("url") };
  return { name: sent.trim() === "" ? "Give the channel a name." : `The name ${name}.`, url: find("url") };
}
