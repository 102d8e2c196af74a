/**
 * Waits for the end of a press. Leaving a field may show an error, which moves the button that is being pressed. The
 * browser then sees no click: somebody presses Save and nothing happens.
 */
let isDown = false;
let waiting: (() => void)[] = [];

document.addEventListener("pointerdown", () => (isDown = true), { capture: true });
for (const end of ["pointerup", "pointercancel"] as const) {
  document.addEventListener(end, finish, { capture: true });
}

export function afterPress(work: () => void): void {
  if (isDown) waiting.push(work);
  else work();
}

function finish(): void {
  isDown = false;
  const due = waiting;
  waiting = [];
  // The click comes after this event, in the same turn.
  if (due.length > 0) setTimeout(() => due.forEach((work) => work()));
}
