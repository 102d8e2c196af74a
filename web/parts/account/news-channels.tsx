/** Slack channels and webhooks that are told when webhooks fail, are turned off, or work again. */
import { useAnswer } from "../../query.ts";
import { Card } from "../../ui/card.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { AddNewsChannel } from "./add-news-channel.tsx";
import { NewsChannelRow } from "./news-channel-row.tsx";

const DESCRIPTION =
  "Told when webhooks begin to fail, are turned off, still fail a day later or work again, with a link to the " +
  "incident. All that changes together is one message.";

export function NewsChannels() {
  const channels = useAnswer("GET /news-channels");
  return (
    <Card title="Slack and webhooks about failures" description={DESCRIPTION}>
      <Loaded what="the channels" query={channels}>
        {(answer) => (
          <div className="space-y-4">
            {answer.channels.length === 0 ? (
              <p className="text-ink-soft">No Slack channel or webhook is told yet.</p>
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
