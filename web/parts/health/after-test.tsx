/** After a test that the endpoint accepted: what waits for it can go now, by one click. */
import { useAnswer } from "../../query.ts";
import type { Tests } from "../test-result/use-tests.ts";
import { waitingWords } from "./health-words.ts";
import { SendWaiting } from "./send-waiting.tsx";

interface Props {
  readonly tests: Tests;
  /** The content of the form now; another one than was tested is another endpoint. */
  readonly sends: string;
  /** The form has what is not saved: deliveries go to the saved URL. */
  readonly isDirty: boolean;
  readonly destinationId: string | undefined;
}

export function AfterTest({ tests: { shown, isBusy, fault }, sends, isDirty, destinationId }: Props) {
  const { data } = useAnswer("GET /destinations");
  const destination = data?.destinations.find(({ id }) => id === destinationId);
  const isAccepted = !isBusy && fault === null && shown?.sent === sends && shown.answer.outcome.class === "success";
  if (destination === undefined || !isAccepted) return null;
  if (isDirty && destination.health.waiting.count > 0) {
    return <p className="text-sm text-ink-soft">{waitingWords(destination.health)}: they go there when you save.</p>;
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SendWaiting destination={destination} isPrimary />
    </div>
  );
}
