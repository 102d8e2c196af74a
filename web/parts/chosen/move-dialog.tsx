/**
 * Moves webhooks to another host, each with its own path. It shows where they go now and which secret headers they
 * have: saved values stay with the host that they were saved for, so the new host's are entered here. One of them is
 * tested first.
 */
import { Send } from "lucide-react";
import { useId, useState } from "react";
import type { ChosenHosts } from "../../../src/dashboard/contract/chosen.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { useChange, useSession } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { count, number } from "../../words.ts";
import { isPulled } from "../../../src/domain/pull.ts";
import { StepForm, type StepProps } from "./step-form.tsx";
import type { Chosen } from "./use-step.ts";

export function MoveDialog({ chosen, counted, take, onClose }: StepProps) {
  const owners = chosen.map(({ kind, id }) => ({ kind, id }));
  const { urlCharsMax, selectionMax } = useSession().limits;
  const { data: hosts, error } = useQuery({
    queryKey: ["POST /chosen-webhooks/hosts", owners],
    queryFn: () => call("POST /chosen-webhooks/hosts", { body: { owners: owners.slice(0, selectionMax) } }),
    gcTime: 0,
  });
  const [origin, setOrigin] = useState("");
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  const move = { step: "move", origin: origin.trim(), secrets } as const;
  const isReady = move.origin !== "" && hosts !== undefined;
  return (
    <StepForm
      title={`Change the host of ${counted}`}
      action={`Move ${counted}`}
      isReady={isReady}
      onClose={onClose}
      onTake={() => take(move, "moved")}
    >
      {error !== null && <Banner tone="bad" role="alert" title={error.message} />}
      {hosts === undefined ? <Skeleton className="h-24" /> : <HostsNow hosts={hosts} />}
      <Field label="New host" help="Each webhook keeps its own path.">
        {(control) => (
          <Input
            {...control}
            isCode
            placeholder="https://hooks.example.com"
            maxLength={urlCharsMax}
            value={origin}
            onChange={(event) => setOrigin(event.target.value)}
          />
        )}
      </Field>
      {hosts !== undefined && <Secrets hosts={hosts} secrets={secrets} onChange={setSecrets} />}
      <MoveTest chosen={chosen} move={move} isReady={isReady} />
    </StepForm>
  );
}

function HostsNow({ hosts: { hosts, authenticated, withoutUrl } }: { readonly hosts: ChosenHosts }) {
  return (
    <div className="space-y-2">
      <p>They go to:</p>
      <ul>
        {hosts.map(({ name, count: many }) => (
          <li key={name} className="font-medium text-ink [overflow-wrap:anywhere]" translate="no">
            {name} <span className="font-normal text-ink-soft">({number(many)})</span>
          </li>
        ))}
      </ul>
      {authenticated > 0 && (
        <p>
          {count(authenticated, "has an", "have an")} access token or a client certificate: open each to enter it for
          the new host. They stay as they are.
        </p>
      )}
      {withoutUrl > 0 && <p>{count(withoutUrl, "has", "have")} no URL, and stay as they are.</p>}
    </div>
  );
}

interface SecretsProps {
  readonly hosts: ChosenHosts;
  readonly secrets: Readonly<Record<string, string>>;
  readonly onChange: (secrets: Readonly<Record<string, string>>) => void;
}

function Secrets({ hosts: { secretHeaders }, secrets, onChange }: SecretsProps) {
  const { headerValueCharsMax } = useSession().limits;
  const id = useId();
  if (secretHeaders.length === 0) return <p>No secret header goes along: they have none.</p>;
  return (
    <fieldset aria-describedby={id} className="space-y-3">
      <legend className="font-medium text-ink">Secret headers that go along</legend>
      <p id={id} className="text-sm">
        Their saved values stay with the host that they have now. Enter what the new host gets; a webhook whose secret
        is left empty is not moved.
      </p>
      {secretHeaders.map(({ name, count: many }) => (
        <Field key={name} label={name} isOptional help={`Sent by ${number(many)} of them.`}>
          {(control) => (
            <Input
              {...control}
              isCode
              maxLength={headerValueCharsMax}
              value={secrets[name] ?? ""}
              onChange={({ target: { value } }) => onChange(withSecret(secrets, name, value))}
            />
          )}
        </Field>
      ))}
    </fieldset>
  );
}

function withSecret(secrets: Readonly<Record<string, string>>, name: string, value: string) {
  const { [name]: _, ...others } = secrets;
  return value === "" ? others : { ...others, [name]: value };
}

interface MoveTestProps {
  readonly chosen: readonly Chosen[];
  readonly move: { readonly step: "move"; readonly origin: string; readonly secrets: Readonly<Record<string, string>> };
  readonly isReady: boolean;
}

/** The first that is called: a sample event goes to its path at the new host. */
function MoveTest({ chosen, move, isReady }: MoveTestProps) {
  const test = useChange("POST /chosen-webhooks/move-test");
  const first = chosen.find(({ destination }) => destination !== null && !isPulled(destination));
  if (first === undefined) return null;
  const { kind, id, name } = first;
  const outcome = test.data?.outcome;
  const isCurrent = JSON.stringify(test.variables?.body.move) === JSON.stringify(move);
  return (
    <div className="space-y-2">
      <Button
        icon={<Send />}
        isBusy={test.isPending}
        disabledReason={isReady ? undefined : "Enter the new host first."}
        onClick={() => test.mutate({ body: { owner: { kind, id }, move } })}
      >
        Test one first
      </Button>
      <p className="text-sm [overflow-wrap:anywhere]">
        A sample event goes to the path of “<bdi>{name}</bdi>” at the new host. Nothing is changed by it.
      </p>
      <div role="status">
        {test.error !== null && !test.isPending && <Banner tone="bad" title={test.error.message} />}
        {outcome !== undefined && !test.isPending && (
          <Banner
            tone={outcome.class === "success" ? "ok" : "bad"}
            title={`${isCurrent ? "" : "Changed since this test. "}${outcome.status}. ${outcome.sentence}`}
          >
            {outcome.advice}
          </Banner>
        )}
      </div>
    </div>
  );
}
