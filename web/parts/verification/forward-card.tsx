/** Copies of the account's webhooks for a developer's machine: one command to paste, with a code that works once. */
import { useState } from "react";
import type { ForwardCode } from "../../../src/dashboard/contract/forward.ts";
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { timeOfDay } from "../../words.ts";

export function ForwardCard() {
  const [to, setTo] = useState("http://localhost:3000/webhooks");
  const make = useChange("POST /forward-codes", "GET /audit");
  const ownersOnly = useOwnersOnly("make a code");
  const made = make.data;
  return (
    <Card title="Forward to your machine" description={INTRODUCTION}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ownersOnly === undefined) make.mutate({});
        }}
      >
        <div className="flex flex-wrap items-end gap-3">
          <Field label="Your receiver’s address" className="min-w-0 grow basis-72">
            {(control) => <Input {...control} isCode value={to} onChange={(event) => setTo(event.target.value)} />}
          </Field>
          <Button type="submit" isBusy={make.isPending} disabledReason={ownersOnly}>
            {made === undefined ? "Make a command" : "Make another"}
          </Button>
        </div>
        {make.error !== null && <Banner tone="bad" role="alert" title={make.error.message} />}
        {made !== undefined && (
          <div role="status" className="space-y-2">
            <Tabs
              label="Systems"
              tabs={SHELLS.map(({ id, label, write }) => ({
                id,
                label,
                content: <CodeBlock label="Run this on your machine" isWrapped code={write(made, to.trim())} />,
              }))}
            />
            <p className="text-sm text-ink-soft">
              It downloads one file from this service and runs it with Node 20.16 or newer; nothing else is installed.
              The file’s SHA-256 is <code className="[overflow-wrap:anywhere]">{made.fileSha256}</code>.
            </p>
            <p className="text-sm text-ink-soft">
              The code works once, until {timeOfDay(made.expiresAtMs)}. Who runs it sees the bodies of this account’s
              webhooks until they press <span className="whitespace-nowrap">Ctrl-C</span>, or an owner ends it under
              Account → Who is signed in.
            </p>
          </div>
        )}
      </form>
    </Card>
  );
}

const INTRODUCTION =
  "While you build your receiver: a command that brings a copy of each new webhook to it, signed. Your saved Webhook " +
  "URLs get theirs as before.";

interface Shell {
  readonly id: string;
  readonly label: string;
  readonly write: (made: ForwardCode, to: string) => string;
}

const POSIX: Shell = {
  id: "posix",
  label: "macOS, Linux",
  write: (made, to) => `curl -fsSO ${fileOf(made)} && ${runOf(made, quote(to, String.raw`'\''`))}`,
};

/** Its own `curl` is another program, and its older versions do not know `&&`. */
const POWERSHELL: Shell = {
  id: "powershell",
  label: "Windows PowerShell",
  write: (made, to) => `curl.exe -fsSO ${fileOf(made)}; if ($?) { ${runOf(made, quote(to, "''"))} }`,
};

/** The reader's own first. */
const SHELLS = navigator.userAgent.includes("Windows") ? [POWERSHELL, POSIX] : [POSIX, POWERSHELL];

const fileOf = ({ serviceUrl }: ForwardCode): string => `${serviceUrl}/forward.mjs`;

const runOf = ({ serviceUrl, code }: ForwardCode, to: string): string =>
  `node forward.mjs --url ${serviceUrl} --to ${to} --code ${code}`;

/** Quoted where a shell would read more than an address. */
const quote = (address: string, quotationMark: string): string =>
  /^[\w:/.[\]%+=~-]+$/.test(address) ? address : `'${address.replaceAll("'", quotationMark)}'`;
