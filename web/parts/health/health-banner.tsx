/**
 * The trouble of a destination, what happens next, and the buttons that help: on its alert's or assistant's page, and
 * on the overview. A destination that is well has no banner.
 */
import { ChevronDown, ChevronUp } from "lucide-react";
import { useState } from "react";
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { readList, store } from "../../browser-settings.ts";
import { useAnswer, useChange, useOwnersOnly } from "../../query.ts";
import { Banner, type BannerTone } from "../../ui/banner.tsx";
import { Button, IconButton, LinkButton } from "../../ui/button.tsx";
import { useNow } from "../../ui/relative-time.tsx";
import type { Tests } from "../test-result/test-area.tsx";
import { isPulled } from "../../../src/domain/pull.ts";
import { failuresHref, tellHealth, waitingHref, waitingWords } from "./health-words.ts";
import { SendWaiting } from "./send-waiting.tsx";
import { StateButton } from "./state-button.tsx";

interface Props {
  readonly destination: DestinationView;
  /** Where the test's result can be shown in full; without it the banner says its first line. */
  readonly onTested?: (answer: TestAnswer) => void;
}

const TONES: Partial<Record<DestinationView["health"]["word"], BannerTone>> = {
  failing: "bad",
  off: "bad",
  paused: "warn",
  unsteady: "warn",
};

export function HealthBanner({ destination, onTested }: Props) {
  const story = tellHealth(destination, useNow());
  const { health, owner } = destination;
  const [isFolded, fold] = useFolded(`${destination.id} ${health.word} ${health.failingSinceMs ?? 0}`);
  const [result, setResult] = useState<TestAnswer | null>(null);
  if (story === null) return null;
  const tested = (answer: TestAnswer): void => {
    setResult(answer);
    onTested?.(answer);
  };
  return (
    <Banner
      tone={TONES[health.word] ?? "info"}
      title={
        <>
          <span className="font-semibold">{owner.name}:</span> {story.title}
        </>
      }
      actions={isFolded ? undefined : <Actions destination={destination} onTested={tested} />}
      fold={
        <IconButton
          label={isFolded ? "Say more" : "Fold"}
          icon={isFolded ? <ChevronDown /> : <ChevronUp />}
          aria-expanded={!isFolded}
          onClick={() => fold(!isFolded)}
        />
      }
      className={isFolded ? "py-1!" : ""}
    >
      {!isFolded && story.sentences.join(" ")}
      <p role="status" className="mt-1 font-medium text-ink empty:hidden">
        {result !== null && onTested === undefined && `Test: ${result.outcome.status}. ${result.outcome.sentence}`}
      </p>
    </Banner>
  );
}

interface ActionsProps {
  readonly destination: DestinationView;
  readonly onTested: (answer: TestAnswer) => void;
}

function Actions({ destination, onTested }: ActionsProps) {
  const { id, state } = destination;
  const disabledReason = useOwnersOnly("test, pause or turn on a webhook");
  return (
    <>
      {state === "on" && !isPulled(destination) && (
        <SendTest id={id} onTested={onTested} disabledReason={disabledReason} />
      )}
      <SendWaiting destination={destination} />
      {destination.health.waiting.count > 0 ? (
        <LinkButton size="sm" href={waitingHref(id)}>
          View what waits
        </LinkButton>
      ) : (
        <LinkButton size="sm" href={failuresHref(id)}>
          View failures
        </LinkButton>
      )}
      <StateButton destination={destination} disabledReason={disabledReason} turnOnTone="primary" />
    </>
  );
}

/** With the settings that are saved. */
interface SendTestProps {
  readonly id: string;
  readonly onTested: (answer: TestAnswer) => void;
  readonly disabledReason: string | undefined;
}

export function SendTest({ id, onTested, disabledReason }: SendTestProps) {
  const test = useChange("POST /destinations/:id/test");
  return (
    <>
      <Button
        size="sm"
        isBusy={test.isPending}
        disabledReason={disabledReason}
        onClick={() => test.mutate({ params: { id } }, { onSuccess: onTested })}
      >
        Send test
      </Button>
      {test.error !== null && (
        <span role="alert" className="w-full text-sm text-bad">
          {test.error.message}
        </span>
      )}
    </>
  );
}

/* A banner that was folded stays so in this browser, until it has something else to say. */

const KEY = "bellwire.folded";

/** The newest folds; older ones are of trouble that is long over. */
const KEPT_MAX = 20;

/** `about` names the trouble, such as a destination and since when: another one is not folded. */
export function useFolded(about: string): readonly [isFolded: boolean, fold: (isFolded: boolean) => void] {
  // A change draws the banner again; what holds is in the storage.
  const [known, setKnown] = useState(readFolds);
  const fold = (isFolded: boolean): void => {
    const others = readFolds().filter((kept) => kept !== about);
    const next = isFolded ? [about, ...others].slice(0, KEPT_MAX) : others;
    setKnown(next);
    store(KEY, JSON.stringify(next));
  };
  return [known.includes(about), fold];
}

const readFolds = (): readonly unknown[] => readList(KEY);

/* After a test that the endpoint accepted: what waits for it can go now, by one click. */

interface AfterTestProps {
  readonly tests: Tests;
  /** The content of the form now; another one than was tested is another endpoint. */
  readonly sends: string;
  /** The form has what is not saved: deliveries go to the saved URL. */
  readonly isDirty: boolean;
  readonly destinationId: string | undefined;
}

export function AfterTest({ tests: { shown, isBusy, fault }, sends, isDirty, destinationId }: AfterTestProps) {
  const { data } = useAnswer("GET /destinations");
  const destination = data?.destinations.find(({ id }) => id === destinationId);
  const isAccepted = !isBusy && fault === null && shown?.sent === sends && shown.answer.outcome.class === "success";
  if (destination === undefined || !isAccepted) return null;
  if (isDirty && destination.health.waiting.count > 0) {
    return <p className="text-sm text-ink-soft">{waitingWords(destination.health)}: they go there when you save.</p>;
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SendWaiting destination={destination} isPrimary />
    </div>
  );
}
