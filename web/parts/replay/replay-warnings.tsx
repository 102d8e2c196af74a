/**
 * What a person should know before deliveries are sent again: which of their webhooks are not ready for them. It is
 * about just these deliveries: what fails elsewhere in the account is no matter of theirs.
 */
import { useQuery } from "@tanstack/react-query";
import type { ReplayView } from "../../../src/dashboard/contract/deliveries.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { call } from "../../api.ts";
import { useAnswer } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { count } from "../../words.ts";
import { looksIntoBodies } from "../search/ask-again.ts";
import { useOwnerMarks } from "../tell-apart.ts";
import { toTotalQuery } from "./replay-draft.ts";

interface Props {
  readonly filter: ReplayView["filter"];
}

/** A thousand webhooks to an endpoint that is down only fail, but it may be up again in a moment. */
export function Warnings({ filter }: Props) {
  const { webhooks, isWhole } = useNotReady(filter);
  const marks = useOwnerMarks();
  const number = `${isWhole ? "" : "At least "}${count(webhooks.length, "webhook")}`;
  return (
    <>
      {webhooks.length > NAMED_MAX && (
        <Banner tone="warn" title={`${number} of these are failing, paused or turned off`}>
          Deliveries to them wait, and may use up their attempts again.
        </Banner>
      )}
      {(webhooks.length > NAMED_MAX ? [] : webhooks).map(({ id, owner, health }) => (
        <Banner
          key={id}
          tone="warn"
          title={`${owner.name}${marks.get(`${owner.kind} ${owner.id}`) ?? ""} is ${NOT_READY[health.word]?.is}`}
        >
          {NOT_READY[health.word]?.follows}
        </Banner>
      ))}
      {filter.states.includes("delivered") && (
        <Banner tone="warn" title="Some were accepted already">
          Your endpoint gets those a second time. The same webhook-id lets it tell.
        </Banner>
      )}
    </>
  );
}

const NAMED_MAX = 3;

/** Each is a question of its own. Guess: nobody needs to know more exactly than "at least twenty". */
const ASKED_MAX = 20;

interface NotReady {
  readonly webhooks: readonly DestinationView[];
  /** `false`: there may be more of them. */
  readonly isWhole: boolean;
}

/**
 * Those that some of the deliveries go to. Of a person's nobody asks: the address would stand in that of the call. Nor
 * of what has a value in a field: each question would look into thousands of bodies.
 */
function useNotReady(filter: ReplayView["filter"]): NotReady {
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const { destinationId } = filter;
  const troubled = destinations.filter(
    ({ id, health, owner }) =>
      (destinationId === undefined || id === destinationId) && !owner.isDeleted && health.word in NOT_READY,
  );
  const asked = troubled.slice(0, ASKED_MAX).map(({ id }) => id);
  const isAsked = filter.email === undefined && !looksIntoBodies(filter.q ?? "");
  const { data: reached = { ids: destinationId === undefined ? [] : asked, isWhole: true } } = useQuery({
    queryKey: ["GET /deliveries/total", "by destination", asked, filter],
    queryFn: () => listReached(asked, filter),
    enabled: asked.length > 0 && destinationId === undefined && isAsked,
  });
  return {
    webhooks: troubled.filter(({ id }) => reached.ids.includes(id)),
    isWhole: reached.isWhole && troubled.length <= ASKED_MAX,
  };
}

async function listReached(asked: readonly string[], filter: ReplayView["filter"]) {
  const totals = await Promise.all(
    asked.map(async (id) => {
      const query = toTotalQuery({ ...filter, destinationId: id });
      return { id, ...(await call("GET /deliveries/total", { query })) };
    }),
  );
  return {
    ids: totals.flatMap(({ id, count: found }) => (found > 0 ? [id] : [])),
    isWhole: totals.every(({ count: found, isWhole }) => found > 0 || isWhole),
  };
}

const NOT_READY: Readonly<Record<string, { readonly is: string; readonly follows: string }>> = {
  failing: {
    is: "failing at the moment",
    follows: "Webhooks to it wait now, and may use up their attempts again.",
  },
  paused: { is: "paused", follows: "Webhooks to it wait until it is turned on again." },
  off: { is: "turned off", follows: "Webhooks to it wait until it is turned on again." },
};
