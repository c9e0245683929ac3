import { useState } from "preact/hooks";

const steps = [
  { text: "1 min", seconds: 60 },
  { text: "1 h", seconds: 3600 },
  { text: "1 day", seconds: 86_400 },
] as const;

/** Moves the clock of the cluster and of the operator: what waits is due. */
export function MoveClock({ onMove }: { readonly onMove: (seconds: number) => Promise<void> }) {
  const [isMoving, setMoving] = useState(false);
  const move = (seconds: number): void => {
    setMoving(true);
    void onMove(seconds).finally(() => setMoving(false));
  };
  return (
    <div role="group" aria-label="Move the clock forward by" class="move-clock">
      <span aria-hidden="true">Move the clock forward by</span>
      {steps.map(({ text, seconds }) => (
        <button type="button" key={text} disabled={isMoving} onClick={() => move(seconds)}>
          {text}
        </button>
      ))}
    </div>
  );
}
