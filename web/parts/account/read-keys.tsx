/**
 * Keys by which programs read this account, and manage its webhooks where the operator has opened that: their list,
 * making one, which is shown once, and taking one back.
 */
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import type { ReadKeyMade, ReadKeysAnswer } from "../../../src/dashboard/contract/read-keys.ts";
import { ApiProblem } from "../../api.ts";
import { useAnswer, useChange } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Checkbox } from "../../ui/controls.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";

type ReadKey = ReadKeysAnswer["keys"][number];

const DESCRIPTION =
  "With a key, a program reads this account’s deliveries, events and webhooks over HTTP, visitors’ data included. It " +
  "changes nothing";
const MANAGES = ", unless the key manages: then it makes, changes, tests and deletes webhooks too";

export function ReadKeys() {
  const answer = useAnswer("GET /read-keys");
  const [asking, setAsking] = useState<ReadKey | null>(null);
  const mayManage = answer.data?.mayManage === true;
  return (
    <Card title="Keys for programs" description={`${DESCRIPTION}${mayManage ? MANAGES : ""}.`}>
      <Loaded what="the keys for programs" query={answer}>
        {(list) => (
          <div className="space-y-4">
            {list.keys.length === 0 ? (
              <p className="text-ink-soft">No program has a key yet.</p>
            ) : (
              <DataTable
                caption="Keys for programs, oldest first"
                columns={columns(setAsking, list)}
                rows={list.keys}
                toKey={({ id }) => id}
                isSlim
              />
            )}
            <MakeKey list={list} />
          </div>
        )}
      </Loaded>
      {asking !== null && <TakeBackDialog readKey={asking} onClose={() => setAsking(null)} />}
    </Card>
  );
}

const columns = (
  ask: (readKey: ReadKey) => void,
  { mayManage }: Pick<ReadKeysAnswer, "mayManage">,
): readonly Column<ReadKey>[] => [
  {
    id: "name",
    header: "Name",
    isMain: true,
    cell: ({ name }) => <span className="[overflow-wrap:anywhere]">{name}</span>,
  },
  ...(mayManage ? [KIND] : []),
  { id: "by", header: "Made by", cell: ({ madeBy }) => <span className="[overflow-wrap:anywhere]">{madeBy}</span> },
  {
    id: "used",
    header: "Last used",
    cell: ({ usedAtMs }) => (usedAtMs === null ? "Never" : <RelativeTime atMs={usedAtMs} />),
  },
  {
    id: "end",
    header: "Take back",
    align: "end",
    inCard: "bare",
    cell: (readKey) => (
      <Button size="sm" aria-label={`Take back ${readKey.name}`} onClick={() => ask(readKey)}>
        Take back
      </Button>
    ),
  },
];

const KIND: Column<ReadKey> = {
  id: "kind",
  header: "May",
  cell: ({ kind }) => (kind === "manage" ? "Read and manage" : "Read"),
};

function TakeBackDialog({
  readKey: { id, name },
  onClose,
}: {
  readonly readKey: ReadKey;
  readonly onClose: () => void;
}) {
  const keep = useKeptList();
  const takeBack = useChange("DELETE /read-keys/:id", "GET /audit");
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Take back “${name}”?`}
      action="Take back"
      onClose={onClose}
      onConfirm={async () => keep(await takeBack.mutateAsync({ params: { id } }))}
    >
      The next call with this key is refused.
    </ConfirmDialog>
  );
}

function useKeptList(): (list: ReadKeysAnswer) => void {
  const client = useQueryClient();
  return (list) => void client.setQueryData(["GET /read-keys", undefined], list);
}

function MakeKey({ list: { keys, keysMax, nameCharsMax, mayManage } }: { readonly list: ReadKeysAnswer }) {
  const keep = useKeptList();
  const [name, setName] = useState("");
  const [isNameless, setNameless] = useState(false);
  const [manages, setManages] = useState(false);
  const make = useChange("POST /read-keys", "GET /audit");
  const full = keys.length >= keysMax ? "There are as many keys as there can be. Take one back first." : undefined;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (full !== undefined) return;
    setNameless(name.trim() === "");
    if (name.trim() === "") return;
    make.mutate(
      { body: manages ? { name, kind: "manage" } : { name } },
      {
        onSuccess(made) {
          keep(made.list);
          // Text that was typed meanwhile stays.
          setName((now) => (now === name ? "" : now));
          setManages(false);
        },
      },
    );
  };
  const wrong: NameErrors = isNameless ? { name: "Give the key a name." } : readNameError(make.error);
  return (
    <form onSubmit={submit} noValidate aria-label="Make a key" className="space-y-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Name" help="Who gets it." error={wrong.name} className="min-w-0 grow basis-56">
          {(control) => (
            <Input
              {...control}
              value={name}
              maxLength={nameCharsMax}
              placeholder="Support desk"
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        {mayManage && (
          <Checkbox
            label="It may manage webhooks"
            className="pb-2"
            checked={manages}
            onChange={(event) => setManages(event.target.checked)}
          />
        )}
        <Button type="submit" isBusy={make.isPending} disabledReason={full}>
          Make key
        </Button>
      </div>
      {wrong.other !== undefined && <Banner tone="bad" role="alert" title={wrong.other} />}
      <div role="status">{make.data !== undefined && <Made made={make.data} />}</div>
    </form>
  );
}

function Made({ made: { name, key } }: { readonly made: ReadKeyMade }) {
  return (
    <div className="space-y-2">
      <CodeBlock label={`Key of ${name}`} isWrapped code={key} />
      <p className="text-sm text-ink-soft">Copy it now: it is not shown again.</p>
    </div>
  );
}

interface NameErrors {
  readonly name?: string | undefined;
  readonly other?: string | undefined;
}

function readNameError(error: Error | null): NameErrors {
  if (error === null) return {};
  const field = error instanceof ApiProblem ? error.errors.find(({ path }) => path === "name") : undefined;
  return field === undefined ? { other: error.message } : { name: `The name ${field.message}.` };
}
