/** One conversation: what it was about, then what was said, then what was learned from it. */
import clsx from "clsx";
import { Bot, MessageSquareText, Mic, UserRound } from "lucide-react";
import { useMemo, useState } from "react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Button } from "../../ui/button.tsx";
import { Badge, IntentMark } from "../../ui/chips.tsx";
import { Cut } from "../../ui/cut.tsx";
import { OutsideLink } from "../../ui/links.tsx";
import { Instant } from "../../ui/relative-time.tsx";
import { count, duration, minute, timeOfDay } from "../../words.ts";
import {
  type Conversation,
  groupTurns,
  initialsOf,
  readConversation,
  type Turn,
  type Utterance,
  type Variable,
} from "./bodies.ts";
import { Tile, Tiles, Unknown } from "./record-head.tsx";
import { RecordPage } from "./record-page.tsx";

export function ConversationRecord({ detail }: { readonly detail: EventDetail }) {
  const { body, assistant, about } = detail;
  const conversation = useMemo(() => (body === null ? null : readConversation(body)), [body]);
  return (
    <RecordPage detail={detail} visitor={conversation?.visitor ?? null}>
      {conversation !== null && (
        <Whole conversation={conversation} assistant={assistant?.name ?? "Assistant"} who={about.who} />
      )}
    </RecordPage>
  );
}

function Whole({ conversation, assistant, who }: TalkProps) {
  const { summary, topics, ctaOpened, variables } = conversation;
  return (
    <div className="space-y-5">
      {summary !== "" && <p className="max-w-prose text-lg font-medium [overflow-wrap:anywhere]">{summary}</p>}
      {topics.length > 0 && (
        <ul aria-label="Topics" className="flex flex-wrap gap-1.5">
          {topics.map((topic, index) => (
            <li key={index} className="max-w-full [&>span]:max-w-full">
              <Badge>
                <Cut>{topic}</Cut>
              </Badge>
            </li>
          ))}
        </ul>
      )}
      <Figures conversation={conversation} />
      <section aria-label="What was said" className="border-t border-line pt-5">
        <Talk conversation={conversation} assistant={assistant} who={who} />
      </section>
      <End conversation={conversation} />
      {ctaOpened !== "" && (
        <section className="border-t border-line pt-4">
          <h3 className="mb-1 font-semibold">Call to action opened</h3>
          <OutsideLink url={ctaOpened} />
        </section>
      )}
      {variables.length > 0 && <Variables variables={variables} />}
    </div>
  );
}

function Figures({ conversation: { talk, intent, durationMs } }: { readonly conversation: Conversation }) {
  const isVoice = talk?.mode === "voice";
  const Icon = isVoice ? Mic : MessageSquareText;
  return (
    <Tiles>
      <Tile name="Mode">
        {talk === null ? (
          <Unknown />
        ) : (
          <span className="inline-flex items-center gap-1.5">
            <Icon aria-hidden="true" className="size-4 text-ink-soft" />
            {isVoice ? "Voice" : "Text"}
          </span>
        )}
      </Tile>
      <Tile name="Messages">{talk === null ? <Unknown /> : count(talk.turns.length, "message")}</Tile>
      <Tile name="Duration">{durationMs === null ? <Unknown /> : duration(durationMs)}</Tile>
      <Tile name="Intent">{intent === "" ? <Unknown /> : <IntentMark level={intent} />}</Tile>
    </Tiles>
  );
}

interface TalkProps {
  readonly conversation: Conversation;
  readonly assistant: string;
  /** `null` when nothing of the visitor is known. */
  readonly who: string | null;
}

function Talk({ conversation: { talk, transcript, startedAtMs }, assistant, who }: TalkProps) {
  if (talk === null) {
    return (
      <p className="max-w-prose [overflow-wrap:anywhere] whitespace-pre-wrap">
        {transcript === "" ? "It has no transcript." : transcript}
      </p>
    );
  }
  return (
    <>
      {startedAtMs !== null && (
        <p className="mb-4 text-center text-xs text-ink-soft">
          <Instant atMs={startedAtMs}>{minute(startedAtMs)}</Instant>
        </p>
      )}
      <Bubbles turns={talk.turns} assistant={assistant} who={who} />
    </>
  );
}

function End({ conversation: { completedAtMs } }: { readonly conversation: Conversation }) {
  if (completedAtMs === null) return null;
  return (
    <p className="text-center text-xs text-ink-soft">
      Completed at <Instant atMs={completedAtMs}>{timeOfDay(completedAtMs)}</Instant>
    </p>
  );
}

/** Signals that every conversation has are named in words, the account's own as they came. */
function Variables({ variables }: { readonly variables: readonly Variable[] }) {
  return (
    <section className="border-t border-line pt-4">
      <h3 className="mb-2 font-semibold">Extracted variables</h3>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
        {variables.map(({ name, isCustom, value }) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-ink-soft [overflow-wrap:anywhere]">{isCustom ? <code>{name}</code> : name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">
              {value === "" ? <Unknown>Not extracted</Unknown> : value}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/* A conversation as it was held: the assistant at the left, the visitor at the right. All of it is outside text. */

interface Props {
  readonly turns: readonly Turn[];
  /** The assistant's name. */
  readonly assistant: string;
  /** `null` when nothing of the visitor is known. */
  readonly who: string | null;
}

/** An hour of quick voice turns is about 1,000, and drawing them all at once would be felt. A guess. */
const TURNS_AT_FIRST = 200;

function Bubbles({ turns, assistant, who }: Props) {
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
