/** The visitor beside what he or she did: lead, company and place, as far as the product knows them. */
import { MapPin, UserRound } from "lucide-react";
import { Card } from "../../ui/card.tsx";
import { NarrowCopyFact, NarrowFact, NarrowFacts } from "../facts.tsx";
import { type NamedFact, type Visitor, initialsOf } from "./visitor.ts";

interface Props {
  readonly visitor: Visitor;
  /** As lists name the visitor; `null` when nothing is known. */
  readonly who: string | null;
}

export function VisitorCard({ visitor: { email, company, place, leadFacts }, who }: Props) {
  return (
    <Card title="Visitor">
      <div className="space-y-4">
        <div className="flex items-center gap-3">
          <span
            aria-hidden="true"
            className="flex size-10 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold
              text-accent [&_svg]:size-5"
          >
            {who === null ? <UserRound /> : initialsOf(who)}
          </span>
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="font-semibold">{who ?? "Unknown visitor"}</p>
            {company.name !== "" && company.name !== who && <p className="text-sm text-ink-soft">{company.name}</p>}
            {place !== "" && (
              <p className="text-sm text-ink-soft">
                <MapPin aria-hidden="true" className="mr-1 inline size-3.5 -translate-y-px" />
                {place}
              </p>
            )}
          </div>
        </div>
        <List facts={leadFacts} email={email === who ? "" : email} />
        {company.facts.length > 0 && (
          <div className="border-t border-line pt-4">
            <h3 className="mb-2 font-medium">Company</h3>
            <List facts={company.facts} email="" />
          </div>
        )}
      </div>
    </Card>
  );
}

function List({ facts, email }: { readonly facts: readonly NamedFact[]; readonly email: string }) {
  if (facts.length === 0 && email === "") return null;
  return (
    <NarrowFacts>
      {email !== "" && <NarrowCopyFact name="E-mail" text={email} />}
      {facts.map(([name, value]) => (
        <NarrowFact key={name} name={name}>
          {value}
        </NarrowFact>
      ))}
    </NarrowFacts>
  );
}
