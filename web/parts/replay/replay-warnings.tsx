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
import { toTotalQuery } from "./replay-draft.ts";

interface Props {
  readonly filter: ReplayView["filter"];
}

/** A thousand webhooks to an endpoint that is down only fail, but it may be up again in a moment. */
export function Warnings({ filter }: Props) {
  const { webhooks, isWhole } = useNotReady(filter);
  const number = `${isWhole ? "" : "At least "}${count(webhooks.length, "webhook")}`;
  return (
    <>
      {webhooks.length > NAMED_MAX && (
        <Banner tone="warn" title={`${number} of these are failing, paused or turned off`}>
          Deliveries to them wait, and may use up their attempts again.
        </Banner>
      )}
      {(webhooks.length > NAMED_MAX ? [] : webhooks).map(({ id, owner, health }) => (
        <Banner key={id} tone="warn" title={`${owner.name} is ${NOT_READY[health.word]?.is}`}>
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
  /** `false`: not all were asked about. */
  readonly isWhole: boolean;
}

/** Those that some of the deliveries go to. Of a person's nobody asks: the address would stand in that of the call. */
function useNotReady(filter: ReplayView["filter"]): NotReady {
  const destinations = useAnswer("GET /destinations").data?.destinations ?? [];
  const { destinationId } = filter;
  const troubled = destinations.filter(
    ({ id, health, owner }) =>
      (destinationId === undefined || id === destinationId) && !owner.isDeleted && health.word in NOT_READY,
  );
  const asked = troubled.slice(0, ASKED_MAX).map(({ id }) => id);
  const { data: ids = [] } = useQuery({
    queryKey: ["GET /deliveries/total", "by destination", asked, filter],
    queryFn: () => listReached(asked, filter),
    enabled: asked.length > 0 && filter.email === undefined,
  });
  return { webhooks: troubled.filter(({ id }) => ids.includes(id)), isWhole: troubled.length <= ASKED_MAX };
}

async function listReached(ids: readonly string[], filter: ReplayView["filter"]): Promise<readonly string[]> {
  const counts = await Promise.all(
    ids.map(async (destinationId) => {
      const query = toTotalQuery({ ...filter, destinationId });
      return { destinationId, found: (await call("GET /deliveries/total", { query })).count };
    }),
  );
  return counts.flatMap(({ destinationId, found }) => (found > 0 ? [destinationId] : []));
}

const NOT_READY: Readonly<Record<string, { readonly is: string; readonly follows: string }>> = {
  failing: {
    is: "failing at the moment",
    follows: "Webhooks to it wait now, and may use up their attempts again.",
  },
  paused: { is: "paused", follows: "Webhooks to it wait until it is turned on again." },
  off: { is: "turned off", follows: "Webhooks to it wait until it is turned on again." },
};
