/** Where webhooks come from, for those who keep a receiver's firewall. Nothing, where the operator does not say. */
import { Card } from "../../ui/card.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";

export function SourceAddresses({ addresses }: { readonly addresses: readonly string[] }) {
  if (addresses.length === 0) return null;
  return (
    <Card
      title="Source addresses"
      description="Webhooks and tests come from these addresses only. If your server stands behind a firewall, let them
        in, from any port, to the port of your Webhook URL. Check the signature too: an address alone proves little."
      actions={<CopyButton label="Copy all" tone="plain" text={addresses.join("\n")} />}
    >
      <ul aria-label="Source addresses" className="grid gap-1 sm:grid-cols-2">
        {addresses.map((address) => (
          <li key={address} className="flex min-w-0 items-center gap-1">
            <code className="min-w-0 [overflow-wrap:anywhere]">{address}</code>
            <CopyButton text={address} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
