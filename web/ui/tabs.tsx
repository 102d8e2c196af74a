/** Tabs over one thing seen in several ways. Only the chosen one is drawn. */
import { Tabs as Base } from "@base-ui/react/tabs";
import clsx from "clsx";
import { type ReactNode, useState } from "react";
import { TAB, TAB_LIST } from "./tab-look.ts";

interface Props<Id extends string> {
  /** The subject of the tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly { readonly id: Id; readonly label: string; readonly content: ReactNode }[];
  /** With both, somebody else keeps the choice, such as the address. */
  readonly value?: Id;
  readonly onChange?: (id: Id) => void;
  readonly className?: string;
}

export function Tabs<Id extends string>({ label, tabs, value, onChange, className }: Props<Id>) {
  const [own, setOwn] = useState(tabs[0]?.id);
  return (
    <Base.Root
      value={value ?? own}
      onValueChange={(id: Id) => {
        setOwn(id);
        onChange?.(id);
      }}
      className={clsx("min-w-0", className)}
    >
      <Base.List aria-label={label} activateOnFocus className={TAB_LIST}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.id} value={tab.id} className={TAB}>
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="min-w-0 pt-4 focus-visible:rounded-md">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
