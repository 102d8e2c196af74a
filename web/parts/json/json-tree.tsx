/**
 * A body as a tree that folds, two levels open, and as the exact text that was signed. Copy gives the exact text both
 * times. Built on `<details>`: it folds without a script, and finding in the page opens it.
 */
import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { foldedLabel, isDeeperThan, type JsonMember, type JsonNode, parseNodes } from "./json-nodes.ts";

interface Props {
  readonly label: string;
  /** The exact text. */
  readonly text: string;
}

const OPEN_LEVELS = 2;
type Folding = "start" | "all" | "none";

export function JsonTree({ label, text }: Props) {
  const [isRaw, setRaw] = useState(false);
  const [folding, setFolding] = useState<Folding>("start");
  const node = useMemo(() => parseNodes(text), [text]);
  if (node === null || isRaw) {
    return (
      <CodeBlock
        key="raw"
        label={node === null ? label : `${label}, exact bytes`}
        code={text}
        isWrapped
        actions={node !== null && <Quiet onClick={() => setRaw(false)}>Show formatted</Quiet>}
      />
    );
  }
  const isOpen = folding === "all" || (folding === "start" && !isDeeperThan(node, OPEN_LEVELS));
  return (
    <CodeBlock
      key="tree"
      label={label}
      code={text}
      isWrapped
      actions={
        <>
          {isDeeperThan(node, 1) && (
            <Quiet onClick={() => setFolding(isOpen ? "none" : "all")}>{isOpen ? "Fold all" : "Unfold all"}</Quiet>
          )}
          <Quiet onClick={() => setRaw(true)}>Show exact bytes</Quiet>
        </>
      }
    >
      <Node key={folding} node={node} level={0} folding={folding} before={null} after="" />
    </CodeBlock>
  );
}

function Quiet({ onClick, children }: { readonly onClick: () => void; readonly children: string }) {
  return (
    <Button tone="quiet" size="sm" onClick={onClick}>
      {children}
    </Button>
  );
}

interface NodeProps {
  readonly node: JsonNode;
  readonly level: number;
  readonly folding: Folding;
  readonly before: string | null;
  /** The comma that follows. */
  readonly after: string;
}

const COLORS = { string: "text-ok", number: "text-warn", word: "text-info" } as const;

function Node({ node, level, folding, before, after }: NodeProps) {
  if (!("members" in node)) {
    return (
      <span className="block pl-4">
        <Key text={before} />
        <span className={COLORS[node.kind]}>{node.text}</span>
        {after}
      </span>
    );
  }
  const [open, close] = node.kind === "object" ? ["{", "}"] : ["[", "]"];
  if (node.members.length === 0) {
    return (
      <span className="block pl-4">
        <Key text={before} />
        {open}
        {close}
        {after}
      </span>
    );
  }
  const isOpen = folding === "start" ? level < OPEN_LEVELS : folding === "all" || level === 0;
  return (
    <details open={isOpen} className="group/fold">
      <summary className="flex min-h-6 list-none items-baseline rounded-sm [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 translate-y-0.5 text-ink-soft in-[details[open]>summary]:rotate-90"
        />
        <span className="min-w-0">
          <Key text={before} />
          <span className="in-[details[open]>summary]:hidden">
            <span className="text-ink-soft">{foldedLabel(node)}</span>
            {after}
          </span>
          <span className="not-in-[details[open]>summary]:hidden">{open}</span>
        </span>
      </summary>
      <div className="ml-2 border-l border-line pl-2">
        <Members members={node.members} level={level + 1} folding={folding} />
      </div>
      <span className="block pl-4">
        {close}
        {after}
      </span>
    </details>
  );
}

interface MembersProps {
  readonly members: readonly JsonMember[];
  readonly level: number;
  readonly folding: Folding;
}

function Members({ members, level, folding }: MembersProps) {
  return members.map(({ key, value }, index) => (
    <Node
      // The parts of one text never move.
      key={index}
      node={value}
      level={level}
      folding={folding}
      before={key}
      after={index === members.length - 1 ? "" : ","}
    />
  ));
}

function Key({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <>
      <span className="text-accent">{text}</span>
      {": "}
    </>
  );
}

/* The body that was signed and sent. Everything in it is from outside and shown as text. */

/** More than this in coloured pieces would make the page slow (guess); as one text it does not. */
const FORMATTED_CHARS_MAX = 256 * 1024;

interface PayloadProps {
  readonly body: string | null;
  readonly label?: string;
}

export function Payload({ body, label = "Request body" }: PayloadProps) {
  if (body === null) {
    return <p className="text-ink-soft">The payload has reached the end of its retention time and was deleted.</p>;
  }
  if (body.length > FORMATTED_CHARS_MAX) return <CodeBlock label={`${label}, exact bytes`} code={body} isWrapped />;
  return <JsonTree label={label} text={body} />;
}
