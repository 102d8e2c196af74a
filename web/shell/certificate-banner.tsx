/** Client certificates that end soon or have ended: whose, when, and the way to replace them. */
import { useNow } from "../ui/relative-time.tsx";
import { Banner } from "../ui/banner.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { count, date } from "../words.ts";

interface Ending {
  readonly id: string;
  readonly name: string;
  readonly href: string;
  readonly endsAtMs: number;
}

export function CertificateBanner({ endings }: { readonly endings: readonly Ending[] }) {
  const nowMs = useNow();
  const [first] = endings.toSorted((one, other) => one.endsAtMs - other.endsAtMs);
  if (first === undefined) return null;
  const hasEnded = first.endsAtMs <= nowMs;
  const others = endings.length > 1 ? ` So do ${count(endings.length - 1, "other certificate")}.` : "";
  return (
    <Banner
      tone={hasEnded ? "bad" : "warn"}
      title={`The client certificate of ${first.name} ${hasEnded ? "ended" : "ends"} on ${date(first.endsAtMs)}`}
    >
      Its server will refuse webhooks without a valid one.{others}{" "}
      <TextLink href={first.href}>Replace the certificate</TextLink>
    </Banner>
  );
}
