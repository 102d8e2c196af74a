/** For the developer of a receiver: a webhook that is asked, with its token and the command, which goes after a day. */
import { useChange, useOwnersOnly } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { date, timeOfDay } from "../../words.ts";
import { Made } from "../webhook/pull-card.tsx";

export function TrialCard() {
  const make = useChange("POST /trial-webhooks", "GET /webhooks", "GET /audit");
  const made = make.data;
  return (
    <Card title="While you build" description={INTRODUCTION}>
      <div className="space-y-4">
        <Button
          isBusy={make.isPending}
          disabledReason={useOwnersOnly("make a webhook")}
          onClick={() => make.mutate({})}
        >
          Make a trial webhook
        </Button>
        {make.error !== null && <Banner tone="bad" role="alert" title={make.error.message} />}
        {made !== undefined && (
          <>
            <Made made={made} />
            <p className="text-sm text-ink-soft">
              It goes by itself on {date(made.endsAtMs)} at {timeOfDay(made.endsAtMs)}, or when you delete it under
              Settings → Webhooks.
            </p>
          </>
        )}
      </div>
    </Card>
  );
}

const INTRODUCTION =
  "Your machine cannot be called from outside, and need not be: your program asks this webhook for every new event, " +
  "signed. Your other webhooks get theirs as before.";
