// The views of a session in a terminal. This file has the contract and the view of plain lines; `open-screen` is the full screen,
// which renders (`render-screen`) a state (`screen-state`). `readable-log` makes log lines and stacks readable, here and on the page.

import type { DevEvent, Report } from "../dev-event.ts";
import type { Session } from "../session.ts";
import { quoteWord } from "../../shared/text.ts";
import { readableLogLine, readableStack } from "./readable-log.ts";

/** A view of a session: the full screen, or plain lines. */
export interface SessionView {
  readonly report: Report;
  /** Called with the address of the page when the session is running; from then on keys work. */
  started(session: Session, page: string): void;
  /** Resolves when the user quits with a key. */
  readonly quit: Promise<void>;
  /** Releases the resources of the view, such as the terminal. */
  close(): void;
}

/** Prints a session as lines, for output that is not an interactive terminal. */
export function plainView(
  print: (text: string) => void,
  root: string,
  describeError: (error: unknown) => string,
): SessionView {
  return {
    report: (event) => {
      for (const line of plainLines(event, root, describeError)) print(line);
    },
    started: ({ url, kubeconfig }, page) => {
      print(`cluster ready at ${url}: KUBECONFIG=${quoteWord(kubeconfig)} kubectl get all`);
      print(`see what happens: ${page}`);
    },
    quit: new Promise(() => undefined),
    close: () => undefined,
  };
}

function plainLines(
  event: DevEvent,
  root: string,
  describeError: (error: unknown) => string,
): readonly string[] {
  switch (event.type) {
    case "info":
      return [event.text];
    case "operator":
      return operatorLines(event.line, root).map((line) => `operator | ${line}`);
    case "error":
      return [describeError(event.error)];
    case "object": {
      const { kind, namespace, name, isDeleted, conditions } = event.object;
      const where = namespace ? `${namespace}/${name}` : name;
      if (isDeleted) return [`${kind} ${where}: deleted`];
      const words = conditions.map(
        ({ type, status, reason }) => `${type}=${status}${reason ? ` (${reason})` : ""}`,
      );
      return [`${kind} ${where}: ${words.length > 0 ? words.join(", ") : "no conditions yet"}`];
    }
    // The operator's log has the same information.
    case "began":
    case "findings":
    case "sample":
    case "reconcile":
    case "again":
      return [];
  }
}

function operatorLines(line: string, root: string): readonly string[] {
  const readable = readableLogLine(line, root);
  if (!readable) return [line];
  const { time, text, stack } = readable;
  return [`${time} ${text}`, ...(stack === undefined ? [] : readableStack(stack, root))];
}
