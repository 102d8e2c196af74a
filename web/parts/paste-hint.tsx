/** Under a field: what came along with a paste, and the button that takes the value without it. */
import { type PasteRules, findPasted } from "../../src/lib/pasted.ts";
import { Button } from "../ui/button.tsx";

interface Props extends PasteRules {
  readonly value: string;
  /** The id of the field's control, which gets the focus back: the button goes away. */
  readonly control: string;
  /** The field's error, which may say the same already. */
  readonly error?: string | undefined;
  readonly onUse: (value: string) => void;
}

export function PasteHint({ value, control, error = "", onUse, ...rules }: Props) {
  const pasted = findPasted(value.trim(), rules);
  const use = (without: string): void => {
    onUse(without);
    document.getElementById(control)?.focus();
  };
  return (
    <div role="status">
      {pasted !== null && (
        <p className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-warn">
          {!error.includes(pasted.fault) && (
            <span className="min-w-0 [overflow-wrap:anywhere]">{`This ${pasted.fault}.`}</span>
          )}
          <Button size="sm" onClick={() => use(pasted.value)}>
            Use it without
          </Button>
        </p>
      )}
    </div>
  );
}
