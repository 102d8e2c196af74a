/**
 * An event of a declared type: its body as a tree to read, each field with its meaning beside it, as the type's schema
 * has it. What the schema does not describe is there, too. Built on `<details>`: it folds without a script.
 */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { DeclaredEventDetail, FieldMeaning } from "../../../src/dashboard/contract/deliveries.ts";
import { OutsideLink } from "../../ui/links.tsx";
import { count } from "../../words.ts";
import { type JsonMember, type JsonNode, parseNodes } from "../json/json-nodes.ts";
import { Payload } from "../json/json-tree.tsx";
import { nameOf, textOf } from "../json/json-reader.ts";
import { Unknown } from "./record-head.tsx";
import { RecordPage } from "./record-page.tsx";

export function EventRecord({ detail }: { readonly detail: DeclaredEventDetail }) {
  const { body, fields } = detail;
  const node = useMemo(() => (body === null || body.length > TREE_CHARS_MAX ? null : parseNodes(body)), [body]);
  const meanings = useMemo(() => new Map(fields.map((field) => [field.path, field])), [fields]);
  return (
    <RecordPage detail={detail} visitor={null}>
      {node !== null && "members" in node ? (
        <Members members={node.members} path="" meanings={meanings} />
      ) : (
        <Payload body={body} label="Body" />
      )}
    </RecordPage>
  );
}

/** More would make the page slow. Guess. */
const TREE_CHARS_MAX = 64 * 1024;

interface MembersProps {
  readonly members: readonly JsonMember[];
  /** Of what they are in; items of a list are in `lines[]`. */
  readonly path: string;
  readonly meanings: ReadonlyMap<string, FieldMeaning>;
}

/** Items of a list that are open at first. */
const OPEN_ITEMS = 5;

function Members({ members, path, meanings }: MembersProps) {
  return (
    <ul className="divide-y divide-line">
      {members.map(({ key, value }, place) => {
        const name = key === null ? null : nameOf(key);
        const own = name === null ? path : path === "" ? name : `${path}.${name}`;
        const shown = { name: name ?? `${place + 1}`, value, isOpen: name !== null || place < OPEN_ITEMS };
        // The parts of one text never move.
        return (
          <li key={place} className="py-2.5">
            <Member {...shown} path={own} meanings={meanings} meaning={name === null ? undefined : meanings.get(own)} />
          </li>
        );
      })}
    </ul>
  );
}

interface MemberProps extends Pick<MembersProps, "path" | "meanings"> {
  readonly name: string;
  readonly value: JsonNode;
  /** `undefined`: the schema does not know it, or it is an item of a list. */
  readonly meaning: FieldMeaning | undefined;
  readonly isOpen: boolean;
}

function Member({ name, value, path, meanings, meaning, isOpen }: MemberProps) {
  if (!("members" in value) || value.members.length === 0) {
    return (
      <Row name={name} meaning={meaning}>
        <Value node={value} />
      </Row>
    );
  }
  const { kind, members } = value;
  const inside = count(members.length, kind === "object" ? "field" : "item");
  return (
    <details open={isOpen} className="min-w-0">
      <summary className="-mx-1 list-none rounded-sm px-1 [&::-webkit-details-marker]:hidden">
        <span className="sr-only">Fold or unfold</span>
        <Row name={name} meaning={meaning} isFolding>
          <span className="font-normal text-ink-soft">{inside}</span>
        </Row>
      </summary>
      <div className="mt-2 ml-1.5 border-l border-line pl-4">
        <Members members={members} path={kind === "array" ? `${path}[]` : path} meanings={meanings} />
      </div>
    </details>
  );
}

interface RowProps extends Pick<MemberProps, "name" | "meaning"> {
  readonly isFolding?: boolean;
  readonly children: ReactNode;
}

/** Name and value, with the meaning beside them, below where the place is narrow. */
function Row({ name, meaning, isFolding = false, children }: RowProps) {
  return (
    <div className="grid gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="min-w-0">
        <code className="flex items-center gap-1 text-sm text-ink-soft [overflow-wrap:anywhere]">
          {isFolding && (
            <ChevronRight aria-hidden="true" className="-ml-1 size-4 shrink-0 in-[details[open]>summary]:rotate-90" />
          )}
          {name}
        </code>
        <div className="font-medium whitespace-pre-wrap [overflow-wrap:anywhere] tabular-nums">{children}</div>
      </div>
      {meaning !== undefined && (
        <p className="min-w-0 text-sm text-ink-soft [overflow-wrap:anywhere]">
          {meaning.description === "" && !isFolding ? meaning.type : meaning.description}
        </p>
      )}
    </div>
  );
}

/** Everything in it is from outside and shown as text; a web address can be opened. */
function Value({ node }: { readonly node: JsonNode }) {
  if ("members" in node) return <Unknown>Empty</Unknown>;
  if (node.kind === "word") return node.text === "null" ? <Unknown>null</Unknown> : <>{node.text}</>;
  if (node.kind === "number") return <>{node.text}</>;
  const text = textOf(node);
  if (text === "") return <Unknown>Empty</Unknown>;
  return /^https?:\/\/\S+$/.test(text) ? <OutsideLink url={text} /> : <>{text}</>;
}
