import { quoteWord } from "../shared/text.ts";
import type { DevEvent } from "./dev-event.ts";
import type { SessionView } from "./session-view.ts";

/** Prints a session as lines, for output that is not an interactive terminal. */
export function plainView(
  print: (text: string) => void,
  describeError: (error: unknown) => string,
): SessionView {
  return {
    report: (event) => {
      if (event.type !== "sample") print(plainLines(event, describeError));
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
  event: Exclude<DevEvent, { type: "sample" }>,
  describeError: (error: unknown) => string,
): string {
  switch (event.type) {
    case "info":
      return event.text;
    case "operator":
      return `operator | ${event.line}`;
    case "error":
      return describeError(event.error);
    case "object": {
      const { kind, namespace, name, isDeleted, conditions } = event.object;
      const where = namespace ? `${namespace}/${name}` : name;
      if (isDeleted) return `${kind} ${where}: deleted`;
      const words = conditions.map(
        ({ type, status, reason }) => `${type}=${status}${reason ? ` (${reason})` : ""}`,
      );
      return `${kind} ${where}: ${words.length > 0 ? words.join(", ") : "no conditions yet"}`;
    }
  }
}
