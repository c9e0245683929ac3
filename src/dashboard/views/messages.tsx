import type { ComponentChildren } from "preact";
import type { RefusedActionError } from "../feed/feed.ts";

/** The reason of a refusal, with the fields that it names. */
export function Problem({ problem: { message, hint, causes } }: { readonly problem: RefusedActionError }) {
  return (
    <div class="problem">
      <p>{message}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map(({ field, message: cause }) => (
            <li>
              {field !== undefined && <code>{field}</code>} {cause}
            </li>
          ))}
        </ul>
      )}
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}

interface EmptyProps {
  /** True if the filter hides something. */
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

/** The text of an empty view. */
export function Empty({ isFiltered, children }: EmptyProps) {
  return <p class="empty">{isFiltered ? "The filter hides everything." : children}</p>;
}
