/** Channels of chat tools and own webhooks that hear of failing webhooks: their list, each of them, and adding one. */
import { useQueryClient } from "@tanstack/react-query";
import { Check, CircleDashed, Trash2, TriangleAlert } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react";
import type {
  NewsChannel,
  NewsChannelsAnswer,
  NewsChannelTest,
} from "../../../src/dashboard/contract/news-channels.ts";
import { CHAT_ADDRESSES, findChatAddress } from "../../../src/domain/chat-addresses.ts";
import { ApiProblem } from "../../api.ts";
import { useAnswer, useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Badge, StatusChip } from "../../ui/chips.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { RadioCards } from "../../ui/controls.tsx";
import { Field, FieldError, Input } from "../../ui/field.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { PasteHint } from "../paste-hint.tsx";

const toolName = (kind: NewsChannel["kind"]): string => (kind === "webhook" ? "Webhook" : CHAT_ADDRESSES[kind].name);

/* Channels and webhooks that are told when webhooks fail, are turned off, or work again. */

const DESCRIPTION =
  "They get a message when webhooks begin to fail, are turned off, still fail a day later or work again, with a link " +
  "to the incident. What happens together comes in one message.";

export function NewsChannels() {
  const channels = useAnswer("GET /news-channels");
  return (
    <Card title="Channels about failures" description={DESCRIPTION}>
      <Loaded what="the channels" query={channels}>
        {(answer) => (
          <div className="space-y-4">
            {answer.channels.length === 0 ? (
              <p className="text-ink-soft">No channel gets messages yet.</p>
            ) : (
              <ul aria-label="Channels" className="divide-y divide-line border-y border-line">
                {answer.channels.map((channel) => (
                  <NewsChannelRow key={channel.id} channel={channel} />
                ))}
              </ul>
            )}
            <AddNewsChannel answer={answer} />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/* One channel: whether it takes messages, its last answer, a test of it now, and the way out of the list. */

interface Props {
  readonly channel: NewsChannel;
}

const LOOKS = {
  untried: { word: "Not tried yet", tone: "neutral", icon: CircleDashed },
  taking: { word: "Takes messages", tone: "ok", icon: Check },
  refusing: { word: "Takes nothing", tone: "bad", icon: TriangleAlert },
} as const;

function NewsChannelRow({ channel }: Props) {
  const { id, kind, name, origin, answer } = channel;
  const client = useQueryClient();
  const [isRemoving, setRemoving] = useState(false);
  const test = useChange("POST /news-channels/:id/test", "GET /audit");
  const remove = useChange("DELETE /news-channels/:id", "GET /audit");
  const disabledReason = useOwnersOnly("change who is told about failures");
  const keep = (list: unknown): void => void client.setQueryData(["GET /news-channels", undefined], list);
  const look = answer === null ? "untried" : answer.isTaken ? "taking" : "refusing";
  return (
    <li className="space-y-3 py-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{name}</span>
            <Badge>{toolName(kind)}</Badge>
            <StatusChip {...LOOKS[look]} />
          </p>
          <p className="text-sm [overflow-wrap:anywhere] text-ink-soft">
            <span aria-hidden="true">{origin}/••••••••</span>
            <span className="sr-only">{origin}, the rest of its address is hidden</span>
          </p>
          <p className="text-sm text-ink-soft">{toFact(channel)}</p>
          <FieldError id={`${id}-error`} message={test.error?.message} />
        </div>
        <div className="flex flex-wrap gap-1">
          <Button
            size="sm"
            isBusy={test.isPending}
            disabledReason={disabledReason}
            aria-label={`Test ${name}`}
            onClick={() => test.mutate({ params: { id } }, { onSuccess: ({ list }) => keep(list) })}
          >
            Test
          </Button>
          <Button
            size="sm"
            tone="quiet"
            icon={<Trash2 />}
            disabledReason={disabledReason}
            aria-label={`Remove ${name}`}
            onClick={() => setRemoving(true)}
          >
            Remove
          </Button>
        </div>
      </div>
      <div role="status">{!test.isPending && test.data !== undefined && <Tested test={test.data} />}</div>
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${name}?`}
        action="Remove channel"
        isDestructive
        onConfirm={async () => keep(await remove.mutateAsync({ params: { id } }))}
      >
        It gets no more messages. To add it again you need its whole address, which is not shown here.
      </ConfirmDialog>
    </li>
  );
}

function toFact({ answer, refusedSinceMs }: NewsChannel): ReactNode {
  if (answer === null) return "Nothing was sent to it yet. Test it, so that you know that it works.";
  if (refusedSinceMs === null) {
    return (
      <>
        Took a message <RelativeTime atMs={answer.atMs} />
      </>
    );
  }
  if (refusedSinceMs === answer.atMs) {
    return (
      <>
        Refused a message <RelativeTime atMs={answer.atMs} />: {answer.words}
      </>
    );
  }
  return (
    <>
      Has taken nothing since <RelativeTime atMs={refusedSinceMs} />. Last answer: {answer.words},{" "}
      <RelativeTime atMs={answer.atMs} />
    </>
  );
}

function Tested({ test: { isTaken, status, sentence, advice, answer, totalMs } }: { readonly test: NewsChannelTest }) {
  return (
    <Banner tone={isTaken ? "ok" : "bad"} title={`${status} · ${sentence} · ${Math.round(totalMs)} ms`}>
      {answer !== "" && (
        <p>
          It says: <code>{answer}</code>
        </p>
      )}
      {advice !== "" && <p>{advice}</p>}
    </Banner>
  );
}

/* The form that adds a channel. The address is typed once: it is not shown again. */

type Kind = NewsChannel["kind"];

const HELP: Readonly<Record<Kind, string>> = {
  slack: "The URL of an incoming webhook.",
  teams: "The URL of a workflow for webhooks.",
  discord: "The URL of a channel’s webhook.",
  google_chat: "The URL of a space’s webhook.",
  webhook: "JSON, signed as your other webhooks are.",
};

const EXAMPLES: Readonly<Record<Kind, string>> = {
  slack: "https://hooks.slack.com/services/…",
  teams: "https://….logic.azure.com/workflows/…",
  discord: "https://discord.com/api/webhooks/…",
  google_chat: "https://chat.googleapis.com/v1/spaces/…",
  webhook: "https://ops.example.com/bellwire",
};

const OPTIONS = (Object.keys(HELP) as Kind[]).map((kind) => ({ value: kind, label: toolName(kind), help: HELP[kind] }));

interface AddNewsChannelProps {
  readonly answer: NewsChannelsAnswer;
}

function AddNewsChannel({ answer: { channels, channelsMax, nameCharsMax } }: AddNewsChannelProps) {
  const client = useQueryClient();
  const nameInput = useRef<HTMLInputElement>(null);
  const urlInput = useRef<HTMLInputElement>(null);
  const [kind, setKind] = useState<Kind>("slack");
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const add = useChange("POST /news-channels", "GET /audit");
  const ownersOnly = useOwnersOnly("change who is told about failures");
  const isFull = channels.length >= channelsMax;
  const disabledReason =
    ownersOnly ?? (isFull ? "There are as many channels as there can be. Remove one first." : undefined);
  const errors = readErrors(add.error, add.variables?.body.name);
  // An address tells its tool; a person may choose another all the same.
  const changeUrl = (next: string): void => {
    setUrl(next);
    setKind((now) => findChatAddress(next)?.kind ?? now);
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (disabledReason !== undefined) return;
    add.mutate(
      { body: { kind, name, url } },
      {
        onSuccess(saved) {
          client.setQueryData(["GET /news-channels", undefined], saved);
          // Text that was typed meanwhile stays.
          setName((now) => (now === name ? "" : now));
          setUrl((now) => (now === url ? "" : now));
        },
        onError: (error) => (readErrors(error, name).name === undefined ? urlInput : nameInput).current?.focus(),
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate aria-label="Add a channel" className="space-y-3">
      <RadioCards
        legend="Add a channel"
        options={OPTIONS}
        value={kind}
        onChange={setKind}
        disabled={ownersOnly !== undefined}
        isGrid
      />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
        <Field label="Name" error={errors.name}>
          {(control) => (
            <Input
              {...control}
              ref={nameInput}
              value={name}
              maxLength={nameCharsMax}
              placeholder="#revops"
              readOnly={ownersOnly !== undefined}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
            />
          )}
        </Field>
        <Field label="Address" help="A secret: it is not shown again." error={errors.url}>
          {(control) => (
            <>
              <Input
                {...control}
                ref={urlInput}
                type="url"
                value={url}
                placeholder={EXAMPLES[kind]}
                readOnly={ownersOnly !== undefined}
                onChange={(event) => changeUrl(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
              <PasteHint kind="url" value={url} control={control.id} error={errors.url} onUse={changeUrl} />
            </>
          )}
        </Field>
      </div>
      <FieldError id="add-channel-error" message={errors.other} />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" isBusy={add.isPending} disabledReason={disabledReason}>
          Add channel
        </Button>
        <p role="status" className="text-sm text-ink-soft">
          {add.isSuccess && `${add.variables.body.name} is added. Test it now.`}
        </p>
      </div>
    </form>
  );
}

interface Errors {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly other?: string | undefined;
}

/** Each at its field. A message about the address is a sentence already; `sent` is the name that was refused. */
function readErrors(error: Error | null, sent = ""): Errors {
  if (error === null) return {};
  const fields = error instanceof ApiProblem ? error.errors : [];
  const find = (path: string): string | undefined => fields.find((field) => field.path === path)?.message;
  if (fields.length === 0) return { other: error.message };
  const name = find("name");
  if (name === undefined) return { url: find("url") };
  return { name: sent.trim() === "" ? "Give the channel a name." : `The name ${name}.`, url: find("url") };
}
