/** The account: plan, colours, who hears of failures, which programs read, who is signed in, and the way out. */
import { FailureMail } from "../parts/account/failure-mail.tsx";
import { Keyboard } from "../parts/account/keyboard.tsx";
import { NewsChannels } from "../parts/account/news-channels.tsx";
import { ReadKeys } from "../parts/account/read-keys.tsx";
import { SignedIn } from "../parts/account/signed-in.tsx";
import { Fact, WideFacts } from "../parts/facts.tsx";
import { useChange, useSession } from "../query.ts";
import { type Theme, useTheme } from "../browser-settings.ts";
import { EMBEDDED_PAGE } from "../embed.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Page } from "../ui/page.tsx";
import { Upgrade } from "../ui/plan-gate.tsx";
import { RadioCards } from "../ui/controls.tsx";

export function AccountPage() {
  const { role } = useSession();
  return (
    <Page title="Account" section="Settings" actions={<SignOut />} isNarrow>
      <About />
      {/* A frame looks as its product says. */}
      {EMBEDDED_PAGE === null && <Appearance />}
      <Keyboard />
      <NewsChannels />
      <FailureMail />
      {role === "owner" && <ReadKeys />}
      {role === "owner" && <SignedIn />}
    </Page>
  );
}

function About() {
  const { account, person, role, alertWebhooksGate, version } = useSession();
  return (
    <Card title={account.name}>
      <WideFacts>
        <Fact name="Account ID">
          <code>{account.id}</code>
        </Fact>
        <Fact name="Plan">
          <span className="capitalize">{account.plan}</span>
          {alertWebhooksGate !== null && (
            <p className="text-ink-soft">
              {alertWebhooksGate} <Upgrade />
            </p>
          )}
        </Fact>
        <Fact name="Application address">{account.appUrl}</Fact>
        <Fact name="Signed in as">
          {person}, {role === "owner" ? "owner" : "viewer: may look at everything and change nothing"}
        </Fact>
        <Fact name="Version">Bellwire {version}</Fact>
      </WideFacts>
    </Card>
  );
}

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "Match the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function Appearance() {
  const [theme, setTheme] = useTheme();
  return (
    <Card title="Appearance" description="Kept in this browser.">
      <RadioCards legend="Colours" options={THEMES} value={theme} onChange={setTheme} isRow />
    </Card>
  );
}

/** A fresh page, so that nothing of this account stays in memory. */
function SignOut() {
  const signOut = useChange("POST /sign-out");
  const leave = (): void =>
    signOut.mutate({}, { onSettled: () => location.assign(new URL("sign-in", document.baseURI)) });
  return (
    <Button isBusy={signOut.isPending} onClick={leave}>
      Sign out
    </Button>
  );
}
