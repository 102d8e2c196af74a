/**
 * A body that is JSON: formatted for the eye, or the exact text as it was sent. Copy gives the exact text in both,
 * because that is what a signature was made of.
 */
import { useMemo, useState } from "react";
import { formatJson, type JsonToken, jsonTokens } from "../json-tokens.ts";
import { Button } from "./button.tsx";
import { CodeBlock } from "./code-block.tsx";

interface Props {
  readonly label: string;
  /** The exact text. */
  readonly text: string;
}

const COLORS: Readonly<Record<JsonToken["kind"], string | undefined>> = {
  key: "text-accent",
  string: "text-ok",
  number: "text-warn",
  word: "text-info",
  plain: undefined,
};

export function JsonView({ label, text }: Props) {
  const [isRaw, setRaw] = useState(false);
  const formatted = useMemo(() => formatJson(text), [text]);
  const tokens = useMemo(() => jsonTokens(formatted ?? text), [formatted, text]);
  if (formatted === null) return <CodeBlock label={label} code={text} isWrapped />;
  return (
    <CodeBlock
      key={isRaw ? "raw" : "formatted"}
      label={isRaw ? `${label}, exact bytes` : label}
      code={text}
      isWrapped={isRaw}
      actions={
        <Button tone="quiet" size="sm" onClick={() => setRaw(!isRaw)}>
          {isRaw ? "Show formatted" : "Show exact bytes"}
        </Button>
      }
    >
      {isRaw
        ? text
        : tokens.map(({ kind, text: piece }, index) => (
            // The pieces of one text never move.
            <span key={index} className={COLORS[kind]}>
              {piece}
            </span>
          ))}
    </CodeBlock>
  );
}
