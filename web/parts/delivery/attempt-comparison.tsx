/** Two attempts of one delivery side by side, with marks on what differs; below each other where there is no room. */
import clsx from "clsx";
import { useState } from "react";
import type { AttemptView, DeliveryDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Checkbox, Select } from "../../ui/controls.tsx";
import { Field } from "../../ui/field.tsx";
import { count } from "../../words.ts";
import {
  type BodyLines,
  type ComparedAttempts,
  type ComparedRow,
  choosePair,
  compareAttempts,
} from "./compare-attempts.ts";

interface Props {
  readonly detail: Pick<DeliveryDetail, "attempts" | "sentBodies">;
}

export function AttemptComparison({ detail: { attempts, sentBodies } }: Props) {
  const [[leftNumber, rightNumber], choose] = useState(() => choosePair(attempts));
  const [isShort, setShort] = useState(true);
  const left = attempts.find(({ number }) => number === leftNumber);
  const right = attempts.find(({ number }) => number === rightNumber);
  if (left === undefined || right === undefined) return null;
  const compared = compareAttempts(left, right, sentBodies);
  return (
    <section aria-label="Two attempts side by side" className="@container min-w-0 rounded-lg border border-line p-3">
      <div className="grid gap-3 @md:grid-cols-2">
        <Choice label="On the left" value={leftNumber} attempts={attempts} onChange={(n) => choose([n, rightNumber])} />
        <Choice
          label="On the right"
          value={rightNumber}
          attempts={attempts}
          onChange={(n) => choose([leftNumber, n])}
        />
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Checkbox label="Only what differs" checked={isShort} onChange={(event) => setShort(event.target.checked)} />
        <p role="status" className="text-sm text-ink-soft">
          {differencesInWords(compared)}
        </p>
      </div>
      {compared.groups.map(({ title, rows }) => (
        <Group
          key={title}
          title={title}
          rows={isShort ? rows.filter((row) => row.isDifferent) : rows}
          pair={[left, right]}
        />
      ))}
      {(compared.body.isDifferent || !isShort) && <Bodies body={compared.body} pair={[left, right]} />}
    </section>
  );
}

function differencesInWords({ groups, body }: ComparedAttempts): string {
  const rows = groups.flatMap((group) => group.rows).filter((row) => row.isDifferent).length;
  const all = rows + (body.isDifferent ? 1 : 0);
  return all === 0 ? "Nothing differs." : `${count(all, "difference")}.`;
}

interface ChoiceProps extends Pick<DeliveryDetail, "attempts"> {
  readonly label: string;
  readonly value: number;
  readonly onChange: (number: number) => void;
}

function Choice({ label, value, attempts, onChange }: ChoiceProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={String(value)}
          onChange={(event) => onChange(Number(event.target.value))}
          options={attempts.map(({ number, outcome }) => ({
            value: String(number),
            label: `Attempt ${number}: ${outcome.status}`,
          }))}
        />
      )}
    </Field>
  );
}

type Pair = readonly [left: AttemptView, right: AttemptView];

interface GroupProps {
  readonly title: string;
  readonly rows: readonly ComparedRow[];
  readonly pair: Pair;
}

function Group({ title, rows, pair: [left, right] }: GroupProps) {
  if (rows.length === 0) return null;
  return (
    <table className="mt-4 w-full table-fixed border-collapse text-sm @max-md:block">
      <caption className="mb-1 text-left font-semibold @max-md:block">{title}</caption>
      <thead className="text-xs text-ink-soft @max-md:sr-only">
        <tr>
          <th scope="col" className="w-1/4">
            <span className="sr-only">Name</span>
          </th>
          <th scope="col" className={HEAD}>
            Attempt {left.number}
          </th>
          <th scope="col" className={HEAD}>
            Attempt {right.number}
          </th>
        </tr>
      </thead>
      <tbody className="@max-md:block">
        {rows.map((row) => (
          <tr key={row.name} className={clsx("border-t border-line align-top @max-md:block @max-md:py-1.5", MARK(row))}>
            <th scope="row" className="py-1.5 pr-2 pl-1.5 text-left font-normal text-ink-soft @max-md:block">
              {row.isDifferent && <Differs />}
              <span className="[overflow-wrap:anywhere]">{row.name}</span>
            </th>
            <Side attempt={left.number} value={row.left} isProse={title === "Result"} />
            <Side attempt={right.number} value={row.right} isProse={title === "Result"} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const HEAD = "py-1 pr-1.5 text-left font-normal";
const MARK = ({ isDifferent }: ComparedRow): string => (isDifferent ? "bg-warn-soft" : "");

/** Not by colour alone. */
function Differs() {
  return (
    <>
      <span aria-hidden="true" className="mr-1 font-semibold text-warn">
        ≠
      </span>
      <span className="sr-only">Differs: </span>
    </>
  );
}

interface SideProps {
  readonly attempt: number;
  readonly value: string | null;
  /** Words, and not what went over the wire. */
  readonly isProse: boolean;
}

function Side({ attempt, value, isProse }: SideProps) {
  return (
    <td className="py-1.5 pr-1.5 [overflow-wrap:anywhere] @max-md:block @max-md:py-0.5 @max-md:pl-1.5">
      <span aria-hidden="true" className="mr-1.5 text-xs whitespace-nowrap text-ink-soft @md:hidden">
        Attempt {attempt}
      </span>
      {value === null ? <span className="text-ink-soft">none</span> : isProse ? value : <code>{value}</code>}
    </td>
  );
}

function Bodies({ body, pair: [left, right] }: { readonly body: ComparedAttempts["body"]; readonly pair: Pair }) {
  return (
    <div className="mt-4">
      <h4 className="mb-1 text-sm font-semibold">
        {body.isDifferent && <Differs />}
        Response body
      </h4>
      <div className="grid gap-3 @md:grid-cols-2">
        <Body side="left" attempt={left.number} body={body.left} />
        <Body side="right" attempt={right.number} body={body.right} />
      </div>
    </div>
  );
}

interface BodyProps {
  readonly side: "left" | "right";
  readonly attempt: number;
  readonly body: BodyLines;
}

function Body({ side, attempt, body: { lines, from, to } }: BodyProps) {
  return (
    <figure className="min-w-0">
      <figcaption className="text-xs text-ink-soft">Attempt {attempt}</figcaption>
      {lines.length === 0 ? (
        <p className="text-sm text-ink-soft">No body.</p>
      ) : (
        <pre
          role="region"
          aria-label={`Response body on the ${side}, attempt ${attempt}`}
          // A block that scrolls must be reachable by keyboard.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-lg border border-line bg-sunken p-2 text-sm whitespace-pre-wrap
            [overflow-wrap:anywhere] focus-visible:-outline-offset-2"
        >
          {lines.map((line, index) => {
            const isDifferent = index >= from && index < to;
            return (
              <code key={index} className={clsx("block", isDifferent && "bg-warn-soft")}>
                {line === "" ? " " : line}
              </code>
            );
          })}
        </pre>
      )}
    </figure>
  );
}
