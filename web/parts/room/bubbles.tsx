/** A conversation as it was held: the assistant at the left, the visitor at the right. All of it is outside text. */
import clsx from "clsx";
import { Bot, UserRound } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { count } from "../../words.ts";
import { type Turn, type Utterance, groupTurns } from "./transcript.ts";
import { initialsOf } from "./visitor.ts";

interface Props {
  readonly turns: readonly Turn[];
  /** The assistant's name. */
  readonly assistant: string;
  /** `null` when nothing of the visitor is known. */
  readonly who: string | null;
}

/** An hour of quick voice turns is about 1,000, and drawing them all at once would be felt. A guess. */
const TURNS_AT_FIRST = 200;

export function Bubbles({ turns, assistant, who }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? turns : turns.slice(0, TURNS_AT_FIRST);
  const left = turns.length - shown.length;
  return (
    <>
      <ol aria-label="Messages" className="space-y-4">
        {groupTurns(shown).map((utterance, index) => (
          // Turns of one text never move.
          <Said
            key={index}
            utterance={utterance}
            name={utterance.speaker === "user" ? (who ?? "Visitor") : assistant}
          />
        ))}
      </ol>
      {left > 0 && (
        <div className="mt-4 flex justify-center">
          <Button onClick={() => setWhole(true)}>Show {count(left, "more message")}</Button>
        </div>
      )}
    </>
  );
}

function Said({ utterance: { speaker, texts }, name }: { readonly utterance: Utterance; readonly name: string }) {
  const isUser = speaker === "user";
  return (
    <li className={clsx("flex items-start gap-2.5", isUser && "flex-row-reverse")}>
      <span
        aria-hidden="true"
        className={clsx(
          "mt-5 flex size-7 shrink-0 items-center justify-center rounded-full text-xs font-semibold [&_svg]:size-4",
          isUser ? "bg-accent-soft text-accent" : "bg-hover text-ink-soft",
        )}
      >
        {isUser ? initialsOf(name === "Visitor" ? "" : name) || <UserRound /> : <Bot />}
      </span>
      <div className={clsx("flex max-w-[85%] min-w-0 flex-col gap-1", isUser && "items-end")}>
        <span className="px-1 text-xs text-ink-soft [overflow-wrap:anywhere]">{name}</span>
        {texts.map((text, index) => (
          <p key={index} className={clsx(BUBBLE, isUser ? OF_USER : OF_ASSISTANT)}>
            {text}
          </p>
        ))}
      </div>
    </li>
  );
}

const BUBBLE = "w-fit max-w-full rounded-2xl px-3.5 py-2 [overflow-wrap:anywhere] whitespace-pre-wrap";
const OF_USER = "rounded-tr-sm bg-accent-soft text-ink";
const OF_ASSISTANT = "rounded-tl-sm bg-hover text-ink";
