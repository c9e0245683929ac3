import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { RefusedActionError } from "../feed/feed.ts";
import { type Shown, usePage } from "./shown.ts";

interface LinkProps {
  /** The user's choices after a click. */
  readonly to: Partial<Shown>;
  /** True for one of several links in a row. */
  readonly isListed?: boolean;
  readonly children: ComponentChildren;
}

/** A link to another part of the record. */
export function Link({ to, isListed = false, children }: LinkProps) {
  const { show } = usePage();
  return (
    <button type="button" class={isListed ? "link way" : "link"} onClick={() => show(to, true)}>
      {children}
    </button>
  );
}

/** Has the session execute actions, and keeps the message or the refusal of the last one. */
export function useAction() {
  const { feed } = usePage();
  const [problem, setProblem] = useState<RefusedActionError>();
  const [message, setMessage] = useState<string>();
  /** Executes an action, and shows a message once it is done. Returns true then. */
  const act = async (name: string, body: object, done: string): Promise<boolean> => {
    try {
      await feed.act(name, body);
      setMessage(done);
      setProblem(undefined);
      return true;
    } catch (error) {
      setMessage(undefined);
      setProblem(error as RefusedActionError);
      return false;
    }
  };
  return { act, message, setMessage, problem, setProblem };
}

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
