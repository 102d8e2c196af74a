/**
 * Webhooks that fail or were turned off, on every page but the overview and their own: one slim line that names each
 * host, and below it the last answer, how many wait, when the next attempt is, and what helps. It folds,
 * and stays folded until the trouble is another one. On a phone and above a form it is folded until somebody asks for
 * more: there it would take a third of the window.
 */
import { ChevronDown, ChevronUp, CircleAlert } from "lucide-react";
import { useLocation } from "wouter";
import { isAbout, ownerPage } from "../../src/domain/event.ts";
import { tellHealth } from "../parts/health/health-words.ts";
import { useFolded } from "../parts/health/health-banner.tsx";
import { SendAll, SendWaiting } from "../parts/health/send-waiting.tsx";
import {
  findTroubles,
  toPlace,
  type Trouble,
  troubleHref,
  troubleSentences,
  toTroubleKey,
  troubleTitle,
} from "../parts/health/troubles.ts";
import { useMarks } from "../parts/tell-apart.ts";
import { useMedia } from "../ui/use-media.ts";
import { useAnswer } from "../query.ts";
import { useAnnounced } from "../ui/announcer.tsx";
import { IconButton } from "../ui/button.tsx";
import { Cut } from "../ui/cut.tsx";
import { useNow } from "../ui/relative-time.tsx";
import { TextLink } from "../ui/links.tsx";
import { count, number } from "../words.ts";

const NAMED_MAX = 5;

export function Troubles() {
  const { data } = useAnswer("GET /destinations");
  const [path] = useLocation();
  // The overview has a banner for each of them, with what to do, and so has the page of the one it is about.
  const troubles = path === "/" ? [] : findTroubles(data?.destinations ?? [], ({ owner }) => isAbout(path, owner));
  useAnnounced(troubles.length === 0 ? "" : `Webhooks that need attention: ${number(countAll(troubles))}`);
  return troubles.length === 0 ? null : (
    <Line troubles={troubles} isAboveForm={/\/(new|edit|integrations)$/.test(path)} />
  );
}

interface LineProps {
  readonly troubles: readonly Trouble[];
  readonly isAboveForm: boolean;
}

function Line({ troubles, isAboveForm }: LineProps) {
  const isPhone = useMedia("(max-width: 40rem)");
  const startsFolded = isPhone || isAboveForm;
  const about = troubles.map(toTroubleKey).toSorted().join(" ");
  const [isMarked, mark] = useFolded(startsFolded ? `unfolded ${about}` : about);
  const isFolded = isMarked !== startsFolded;
  const fold = (isNext: boolean): void => mark(isNext !== startsFolded);
  const [first, second] = troubles;
  const only = second === undefined ? first : undefined;
  return (
    <section
      aria-label="Webhooks that need attention"
      className="mb-5 rounded-lg border border-bad-mark/40 bg-bad-soft py-1 pr-1 pl-3"
    >
      <div className="flex items-center gap-2.5">
        <CircleAlert aria-hidden="true" className="size-4 shrink-0 text-bad" />
        <p className="flex min-w-0 flex-1 gap-x-1 font-medium text-ink">
          {only === undefined ? `${count(countAll(troubles), "webhook")} need attention` : <Headline trouble={only} />}
        </p>
        <IconButton
          label={isFolded ? "Say more" : "Fold"}
          icon={isFolded ? <ChevronDown /> : <ChevronUp />}
          aria-expanded={!isFolded}
          onClick={() => fold(!isFolded)}
        />
      </div>
      {!isFolded && (
        <ul className="space-y-1.5 pr-2 pb-1.5 pl-6.5 text-sm text-ink-soft [overflow-wrap:anywhere]">
          {troubles.slice(0, NAMED_MAX).map((trouble) => (
            <Details key={toPlace(trouble)} trouble={trouble} isNamed={only === undefined} />
          ))}
          {troubles.length > NAMED_MAX && (
            <li>
              <TextLink href="/destinations?show=failing">
                And {number(countAll(troubles.slice(NAMED_MAX)))} more
              </TextLink>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

const countAll = (troubles: readonly Trouble[]): number =>
  troubles.reduce((sum, { destinations }) => sum + destinations.length, 0);

/** A long name is cut, and not what is the matter. */
function Headline({ trouble }: { readonly trouble: Trouble }) {
  const { host, word, destinations } = trouble;
  const [{ id, owner }] = destinations;
  const mark = useMarks().get(id) ?? host;
  if (destinations.length > 1) {
    return (
      <TextLink href={troubleHref(trouble)} className="min-w-0 [overflow-wrap:anywhere]">
        {troubleTitle(trouble)}
      </TextLink>
    );
  }
  return (
    <>
      <Cut>
        <TextLink href={ownerPage(owner)}>{owner.name}</TextLink>
      </Cut>{" "}
      <span className="shrink-0">{MATTERS[word]}</span> <span className="min-w-0 truncate max-sm:hidden">({mark})</span>
    </>
  );
}

function Details({ trouble, isNamed }: { readonly trouble: Trouble; readonly isNamed: boolean }) {
  const nowMs = useNow();
  const { host, word, destinations } = trouble;
  const [only] = destinations;
  const mark = useMarks().get(only.id) ?? host;
  const isOne = destinations.length === 1;
  const named = isOne ? (
    <>
      <TextLink href={ownerPage(only.owner)}>{only.owner.name}</TextLink> {MATTERS[word]} ({mark}).{" "}
    </>
  ) : (
    <>
      <TextLink href={troubleHref(trouble)}>{troubleTitle(trouble)}</TextLink>.{" "}
    </>
  );
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span className="min-w-0 flex-1 basis-64">
        {isNamed && named}
        {isOne ? (tellHealth(only, nowMs)?.sentences ?? []).slice(0, 2).join(" ") : troubleSentences(trouble, nowMs)}
      </span>
      {isOne ? <SendWaiting destination={only} /> : <SendAll trouble={trouble} />}
    </li>
  );
}

const MATTERS: Readonly<Record<Trouble["word"], string>> = { failing: "is failing", off: "is turned off" };
