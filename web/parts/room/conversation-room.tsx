/** One conversation: what it was about, then what was said, then what was learned from it. */
import { MessageSquareText, Mic } from "lucide-react";
import { useMemo } from "react";
import type { EventDetail } from "../../../src/dashboard/contract/deliveries.ts";
import { Badge } from "../../ui/badge.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { Instant } from "../../ui/relative-time.tsx";
import { count, duration, minute, timeOfDay } from "../../words.ts";
import { Bubbles } from "./bubbles.tsx";
import { type Conversation, type Variable, readConversation } from "./conversation.ts";
import { IntentMark } from "../../ui/intent-mark.tsx";
import { Room } from "./room.tsx";
import { Tile, Tiles, Unknown } from "./tiles.tsx";

export function ConversationRoom({ detail }: { readonly detail: EventDetail }) {
  const { body, assistant, about } = detail;
  const conversation = useMemo(() => (body === null ? null : readConversation(body)), [body]);
  return (
    <Room detail={detail} visitor={conversation?.visitor ?? null}>
      {conversation !== null && (
        <Whole conversation={conversation} assistant={assistant?.name ?? "Assistant"} who={about.who} />
      )}
    </Room>
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
            <li key={index} className="max-w-full [&>span]:max-w-full [&>span]:truncate">
              <Badge>{topic}</Badge>
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
