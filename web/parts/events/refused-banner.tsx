/** Where somebody looks for a session that is missing: that there are records which were refused. Mostly nothing. */
import { useAnswer } from "../../query.ts";
import { Banner } from "../../ui/banner.tsx";
import { LinkButton } from "../../ui/link-button.tsx";
import { count } from "../../words.ts";

export function RefusedBanner() {
  const { data } = useAnswer("GET /refused-records", { query: {} });
  if (data === undefined || data.records.length === 0) return null;
  const records = count(data.records.length, "record");
  return (
    <Banner
      tone="warn"
      title={`${data.nextCursor === null ? records : `More than ${records}`} of your product could not become events`}
      actions={
        <LinkButton size="sm" href="/refused-records">
          See why
        </LinkButton>
      }
    >
      Your product committed them, but nothing was sent for them.
    </Banner>
  );
}
