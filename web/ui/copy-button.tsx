/** Copies a text, and says so on itself. */
import { Check, Copy, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { copyText } from "../copy-text.ts";
import { Button, type ButtonLook, IconButton } from "./button.tsx";

interface Props extends ButtonLook {
  /** A text, or how to get it when somebody presses: a secret is fetched then and not before. */
  readonly text: string | (() => Promise<string>);
  /** "Copy as cURL". */
  readonly label?: string;
  readonly disabledReason?: string | undefined;
  /** An icon alone, named by `label`: beside a short text. */
  readonly isIcon?: boolean;
  /** Such as where the word gives its room away. */
  readonly wordClassName?: string;
}

const SAID_FOR_MS = 2_000;

export function CopyButton({ text, label = "Copy", tone = "quiet", size = "sm", ...look }: Props) {
  const { disabledReason, isIcon, wordClassName } = look;
  const [result, setResult] = useState<"copied" | "failed" | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setResult((await copies(text)) ? "copied" : "failed");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setResult(null), SAID_FOR_MS);
  };
  const icon = { copied: <Check />, failed: <X />, none: <Copy /> }[result ?? "none"];
  return (
    <>
      {isIcon === true ? (
        <IconButton label={label} icon={icon} onClick={() => void copy()} className="size-6! [&_svg]:size-3.5!" />
      ) : (
        <Button tone={tone} size={size} icon={icon} onClick={() => void copy()} disabledReason={disabledReason}>
          <span className={wordClassName}>{result === null ? label : SAID[result]}</span>
        </Button>
      )}
      <span role="status" className="sr-only">
        {result === null ? "" : SAID[result]}
      </span>
    </>
  );
}

const SAID = { copied: "Copied", failed: "Not copied" };

async function copies(text: Props["text"]): Promise<boolean> {
  try {
    return await copyText(typeof text === "string" ? text : await text());
  } catch {
    return false;
  }
}
