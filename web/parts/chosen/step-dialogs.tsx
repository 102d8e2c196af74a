/**
 * The questions before a step for many webhooks: how many it is for, and what follows. They are fetched when one is
 * opened. Another host has a dialog of its own (move-dialog.tsx).
 */
import { type ReactElement, useState } from "react";
import type { ChosenStep } from "../../../src/dashboard/contract/chosen.ts";
import { useSession } from "../../query.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Checkbox, RadioCards } from "../../ui/controls.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { count, number } from "../../words.ts";
import { looksSecret } from "../headers/rows.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { StepForm, type StepProps } from "./step-form.tsx";
import { type Chosen, type Refused, type Step, useStep } from "./use-step.ts";

interface Props {
  readonly step: Step;
  readonly what: string;
  readonly chosen: readonly Chosen[];
  readonly tags: readonly string[];
  readonly onClose: () => void;
  /** `done` completes "12 alerts …". */
  readonly onEnd: (done: string, refused: readonly Refused[]) => void;
}

export function StepDialog({ step, what, chosen, tags, onClose, onEnd }: Props) {
  const takeStep = useStep();
  const take = async (change: ChosenStep, done: string): Promise<void> => onEnd(done, await takeStep(chosen, change));
  const counted = count(chosen.length, what.replace(/s$/, ""));
  const Question = QUESTIONS[step];
  return <Question {...{ chosen, tags, counted, take, onClose }} />;
}

const QUESTIONS: Readonly<Record<Step, (props: StepProps) => ReactElement>> = {
  pause: PauseQuestion,
  turn_on: TurnOnQuestion,
  delete: DeleteQuestion,
  move: MoveDialog,
  header: HeaderDialog,
  tag: TagDialog,
};

function PauseQuestion({ counted, take, onClose }: StepProps) {
  return (
    <ConfirmDialog
      isOpen
      title={`Pause ${counted}?`}
      action={`Pause ${counted}`}
      onClose={onClose}
      onConfirm={() => take({ step: "pause" }, "paused")}
    >
      Nothing is sent to them until somebody turns them on again. New webhooks wait for up to 14 days.
    </ConfirmDialog>
  );
}

const BACKLOG = [
  { value: "send", label: "Send them", help: "Oldest first, slowly at the start." },
  { value: "cancel", label: "Cancel them", help: "They stay in the log and can be sent again from there." },
] as const;

function TurnOnQuestion({ chosen, counted, take, onClose }: StepProps) {
  const [backlog, setBacklog] = useState<"send" | "cancel">("send");
  const waiting = countWaiting(chosen);
  return (
    <ConfirmDialog
      isOpen
      title={`Turn on ${counted}?`}
      action={`Turn on ${counted}`}
      onClose={onClose}
      onConfirm={() => take({ step: "turn_on", backlog }, "turned on")}
    >
      <div className="space-y-4">
        <p>They are turned on without a test. Those that fail are shown at the top of their list.</p>
        {waiting > 0 && (
          <RadioCards
            legend={`${number(waiting)} or more deliveries wait for them. What should happen to those?`}
            options={BACKLOG}
            value={backlog}
            onChange={setBacklog}
          />
        )}
      </div>
    </ConfirmDialog>
  );
}

/** At the list's last answer; more may wait by now. */
const countWaiting = (chosen: readonly Chosen[]): number =>
  chosen.reduce((sum, { destination }) => sum + (destination?.health.waiting.count ?? 0), 0);

function DeleteQuestion({ chosen, counted, take, onClose }: StepProps) {
  const waiting = countWaiting(chosen);
  const isOfAssistants = chosen.some(({ kind }) => kind === "assistant");
  return (
    <ConfirmDialog
      isOpen
      isDestructive
      title={`Delete ${counted}?`}
      action={`Delete ${counted}`}
      onClose={onClose}
      onConfirm={() => take({ step: "delete" }, "deleted")}
    >
      They send nothing any more.{" "}
      {isOfAssistants && "Chat assistants stay; their Webhook URL, headers and conditions go. "}
      {waiting > 0 && `What still waits for them (${number(waiting)} or more) is cancelled. `}
      The log keeps what they have sent. This can’t be taken back.
    </ConfirmDialog>
  );
}

const PUT = [
  { value: "on", label: "Put on" },
  { value: "off", label: "Take off" },
] as const;

function TagDialog({ tags, counted, take, onClose }: StepProps) {
  const { tagCharsMax } = useSession().limits;
  const [tag, setTag] = useState("");
  const [put, setPut] = useState<"on" | "off">("on");
  const isOn = put === "on";
  return (
    <StepForm
      title={isOn ? `Put a tag on ${counted}` : `Take a tag off ${counted}`}
      action={isOn ? "Put tag" : "Take tag off"}
      isReady={tag.trim() !== ""}
      onClose={onClose}
      onTake={() => take({ step: "tag", tag: tag.trim(), isOn }, isOn ? "tagged" : "untagged")}
    >
      <Field label="Tag" help="Lists are filtered by tags. Nothing is sent by them.">
        {(control) => (
          <>
            <Input
              {...control}
              list={`${control.id}-tags`}
              maxLength={tagCharsMax}
              value={tag}
              onChange={(event) => setTag(event.target.value)}
            />
            <datalist id={`${control.id}-tags`}>
              {tags.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
      <RadioCards legend="Put it on, or take it off" isRow options={PUT} value={put} onChange={setPut} />
    </StepForm>
  );
}

function HeaderDialog({ counted, take, onClose }: StepProps) {
  const { headerNameCharsMax, headerValueCharsMax } = useSession().limits;
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [ticked, setTicked] = useState<boolean | null>(null);
  const secret = ticked ?? looksSecret(name);
  const header = { name: name.trim(), value, secret };
  return (
    <StepForm
      title={`Set a header on ${counted}`}
      action="Set header"
      isReady={header.name !== ""}
      onClose={onClose}
      onTake={() => take({ step: "header", header }, "changed")}
    >
      <p>It takes the place of a header of the same name. Their other headers stay.</p>
      <Field label="Name">
        {(control) => (
          <Input
            {...control}
            isCode
            maxLength={headerNameCharsMax}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label="Value">
        {(control) => (
          <Input
            {...control}
            isCode
            maxLength={headerValueCharsMax}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <Checkbox
        label="Secret"
        help="It is not shown again once it is saved."
        checked={secret}
        onChange={(event) => setTicked(event.target.checked)}
      />
    </StepForm>
  );
}
