import { Fragment } from "preact";
import { connectionAdvice, placeOf, readableError } from "../../dev/view/readable-log.ts";
import type { Reconcile } from "../history/history.ts";
import { yamlLines } from "../history/object-yaml.ts";
import { Problem, useAction } from "./messages.tsx";
import { usePage } from "./shown.ts";
import { duration, shortPath } from "./texts.ts";

/** An error as a person looks for it: the message, the line of the project that threw it, and the stack to unfold. */
export function ErrorText({ error, stack }: { readonly error: string; readonly stack: string | undefined }) {
  const { message, frames } = readableError(error, stack);
  const advice = connectionAdvice(error);
  return (
    <div class="error-text">
      <p class="problem">{message}</p>
      {advice !== undefined && <p>{advice}</p>}
      <Source source={stack && placeOf(stack)} />
      {frames.length > 0 && (
        <details>
          <summary>Stack</summary>
          <pre tabIndex={0}>{frames.map(shortPath).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}

/** A place in the project's sources: a click opens it in the editor; of a recorded session, it copies it. */
export function Source({
  source,
  isShort,
}: {
  readonly source: string | undefined;
  readonly isShort?: boolean;
}) {
  const { feed } = usePage();
  const { act, message, problem, setMessage } = useAction();
  if (source === undefined) return null;
  const open = (): void => {
    if (feed.actions.includes("open")) void act("open", { source }, "opened in your editor");
    else void copy(source).then(setMessage);
  };
  return (
    <span class="source">
      <button type="button" class="link" title={source} onClick={open}>
        {isShort ? source.replace(/^.*[/\\]/u, "") : shortPath(source)}
      </button>{" "}
      <span role="status">
        {message && <span class="dim">{message}</span>}
        {problem && <Problem problem={problem} />}
      </span>
    </span>
  );
}

/** Copies a text, and returns what came of it: a browser may refuse, as in a frame of an editor. */
export async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "the browser does not allow to copy";
  }
}

export function RequestTable({ requests }: Pick<Reconcile, "requests">) {
  return (
    <table>
      <tbody>
        {requests.map(({ method, path, code, seconds, body }, index) => (
          <Fragment key={index}>
            <tr class={hasFailed(method, code) ? "failed" : undefined}>
              <td>{method}</td>
              <td>
                <code>{path}</code>
              </td>
              <td>{code === "<error>" ? "no answer" : code}</td>
              <td>{duration(seconds * 1000)}</td>
            </tr>
            {body !== undefined && (
              <tr>
                <td colSpan={4}>
                  <details>
                    <summary>What it sent</summary>
                    <pre tabIndex={0}>{readableBody(body)}</pre>
                  </details>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

/** Returns a body as YAML; one that is no JSON as it is. */
function readableBody(body: string): string {
  try {
    return yamlLines(JSON.parse(body))
      .map(({ text }) => text)
      .join("\n");
  } catch {
    return body;
  }
}

/** Returns true for requests without success. A 404 for a GET is no failure: it tells that there is no such object. */
export function hasFailed(method: string, code: string): boolean {
  return !/^[123]/u.test(code) && !(method === "GET" && code === "404");
}
