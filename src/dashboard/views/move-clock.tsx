const steps = [
  { text: "1 min", seconds: 60 },
  { text: "1 h", seconds: 3600 },
  { text: "1 day", seconds: 86_400 },
] as const;

/** Moves the clock of the cluster and of the operator: what waits is due. */
export function MoveClock({ onMove }: { readonly onMove: (seconds: number) => void }) {
  return (
    <div role="group" aria-label="Move the clock forward by" class="move-clock">
      <span aria-hidden="true">Move the clock forward by</span>
      {steps.map(({ text, seconds }) => (
        <button type="button" key={text} onClick={() => onMove(seconds)}>
          {text}
        </button>
      ))}
    </div>
  );
}
