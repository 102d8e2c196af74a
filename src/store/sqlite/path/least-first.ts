/**
 * Gives numbers in order, the least first, and looks for each only when it is asked for: in a binary heap, in place.
 * Sorting all of them at once would make the first one wait for the whole.
 */
export function* leastFirst(
  numbers: Uint32Array,
  isBefore: (one: number, other: number) => boolean,
): Generator<number> {
  const heap = { numbers, isBefore };
  for (let place = (numbers.length >>> 1) - 1; place >= 0; place -= 1) sink(heap, place, numbers.length);
  for (let count = numbers.length; count > 0; count -= 1) {
    const least = numbers[0] ?? 0;
    numbers[0] = numbers[count - 1] ?? 0;
    sink(heap, 0, count - 1);
    yield least;
  }
}

interface Heap {
  readonly numbers: Uint32Array;
  readonly isBefore: (one: number, other: number) => boolean;
}

/** Moves the number at `from` below all that come before it, among the first `count`. */
function sink({ numbers, isBefore }: Heap, from: number, count: number): void {
  const sinking = numbers[from] ?? 0;
  let place = from;
  for (let child = 2 * place + 1; child < count; child = 2 * place + 1) {
    const other = child + 1;
    if (other < count && isBefore(numbers[other] ?? 0, numbers[child] ?? 0)) child = other;
    const rising = numbers[child] ?? 0;
    if (!isBefore(rising, sinking)) break;
    numbers[place] = rising;
    place = child;
  }
  numbers[place] = sinking;
}
