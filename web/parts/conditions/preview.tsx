/**
 * "Would have been sent for 14 of the last 50", while somebody edits: asked for when they stop typing, and not for
 * conditions that are not filled in yet. The last answer stays until the next one is there.
 */
import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { CircleCheck, CircleMinus } from "lucide-react";
import { useEffect, useState } from "react";
import type { ConditionsPreview, PreviewExample } from "../../../src/dashboard/contract/conditions.ts";
import { call } from "../../api.ts";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import type { ConditionsProps } from "./conditions-props.ts";
import { checkConditions, toConditionsForm } from "./draft.ts";

/** Guess: longer than between two letters, shorter than patience. */
const TYPING_MS = 400;

export function Preview({ tries, draft }: Pick<ConditionsProps, "tries" | "draft">) {
  const isComplete = Object.keys(checkConditions(draft)).length === 0;
  const wanted = JSON.stringify({ ...tries, conditions: toConditionsForm(draft) });
  const asked = useSettled(wanted);
  const { data, error } = useQuery({
    queryKey: ["preview of conditions", asked],
    queryFn: () => ask(tries, asked),
    enabled: isComplete && asked === wanted,
    retry: false,
    placeholderData: (previous) => previous,
  });
  const isChat = "assistantId" in tries;
  const isFirst = isComplete && error === null && data === undefined;
  return (
    <section
      aria-label="Preview"
      aria-busy={isFirst}
      // As high as it mostly becomes.
      className={clsx("rounded-lg border border-line bg-sunken/60 p-3 text-sm", isFirst && "min-h-27")}
    >
      <p role="status">{toSentence({ data, error, isComplete, isChat })}</p>
      {isComplete && error === null && data !== undefined && (
        <ul className="mt-2 space-y-1.5">
          {data.examples.map((example) => (
            <Example key={example.sourceId} example={example} assistantId={isChat ? tries.assistantId : null} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface Said {
  readonly data: ConditionsPreview | undefined;
  readonly error: Error | null;
  readonly isComplete: boolean;
  readonly isChat: boolean;
}

function toSentence({ data, error, isComplete, isChat }: Said): string {
  if (!isComplete) return "Fill in the conditions to see what they would have let through.";
  if (error !== null) return `No preview: ${error.message}`;
  if (data === undefined) return "Trying them on what came last…";
  const nouns = isChat ? "conversations" : "sessions";
  if (data.events === 0) return `There are no ${nouns} yet to try this on.`;
  const verb = isChat ? "have been sent" : "have fired";
  return `Would ${verb} for ${data.fired} of the last ${data.events} ${nouns}.`;
}

interface ExampleProps {
  readonly example: PreviewExample;
  readonly assistantId: string | null;
}

function Example({ example, assistantId }: ExampleProps) {
  const { sourceId, acceptedAtMs, about, fires, why } = example;
  const href =
    assistantId === null
      ? `/audience/sessions/${sourceId}`
      : `/assistants/${encodeURIComponent(assistantId)}/conversations/${sourceId}`;
  const Icon = fires ? CircleCheck : CircleMinus;
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden="true" className={fires ? "mt-0.5 size-4 shrink-0 text-ok" : MINUS} />
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <span className="sr-only">{fires ? "Sent: " : "Not sent: "}</span>
        <TextLink href={href}>{about.who ?? "Unknown visitor"}</TextLink>
        {about.what !== null && ` · ${about.what.slice(0, WHAT_CHARS_MAX)}`} · <RelativeTime atMs={acceptedAtMs} />
        {why !== "" && <span className="block text-ink-soft">{why}</span>}
      </span>
    </li>
  );
}

/** A summary may be long; its beginning tells it from the others. */
const WHAT_CHARS_MAX = 80;

const MINUS = "mt-0.5 size-4 shrink-0 text-ink-soft";

function ask(tries: ConditionsProps["tries"], asked: string): Promise<ConditionsPreview> {
  const { conditions } = JSON.parse(asked) as { conditions: ReturnType<typeof toConditionsForm> };
  if ("assistantId" in tries) {
    return call("POST /assistants/:id/preview", { params: { id: tries.assistantId }, body: { conditions } });
  }
  const { audience, demos, intentLevels } = tries;
  return call("POST /alerts/preview", { body: { audience, demos, intentLevels, conditions } });
}

/** The text once it has not changed for a while; at first as it is. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
