import { spawn } from "node:child_process";
import { count } from "../../shared/text.ts";
import type { Report } from "../dev-event.ts";
import type { Session } from "../session.ts";
import type { SessionView } from "../session-view.ts";
import { openBrowser } from "./open-browser.ts";
import { renderScreen } from "./render-screen.ts";
import { afterEvent, afterMove, emptyScreen, type ScreenState } from "./screen-state.ts";
import { openTerminal, type TerminalStreams } from "./terminal.ts";

/** Events that arrive together are drawn together. */
const drawAfterMilliseconds = 30;

/** Takes over the terminal and shows a session on it. */
export function openScreen(
  streams: TerminalStreams,
  title: string,
  describeError: (error: unknown) => string,
): SessionView {
  let state = emptyScreen(title);
  let session: Session | undefined;
  let page = "";
  let timer: NodeJS.Timeout | undefined;
  let askQuit: () => void = () => undefined;
  const quit = new Promise<void>((resolve) => (askQuit = resolve));

  const draw = (): void => {
    timer = undefined;
    terminal.draw(renderScreen(state, terminal.size()));
  };
  const show = (next: ScreenState): void => {
    state = next;
    timer ??= setTimeout(draw, drawAfterMilliseconds);
  };
  const report: Report = (event) => show(afterEvent(state, event, describeError));

  const samples = async (): Promise<void> => {
    const applied = await session?.applySamples();
    if (applied !== undefined) show({ ...state, note: `applied ${count(applied, "sample")}` });
  };
  const openPage = async (): Promise<void> => {
    const isOpen = await openBrowser(page);
    show({ ...state, note: isOpen ? "the page is open in your browser" : `open ${page} in a browser` });
  };
  const shell = async (kubeconfig: string): Promise<void> => {
    terminal.giveBack();
    await runShell(kubeconfig);
    terminal.take();
    show(state);
  };
  const actions: Readonly<Record<string, () => void>> = {
    s: () => void samples().catch((error: unknown) => report({ type: "error", error })),
    d: () => show({ ...state, isDiffShown: !state.isDiffShown }),
    o: () => session && void openPage(),
    k: () => session && void shell(session.kubeconfig),
    "\u001B[A": () => show(afterMove(state, -1)),
    "\u001B[B": () => show(afterMove(state, 1)),
    q: () => {
      show({ ...state, note: "stopping the operator and the cluster" });
      askQuit();
    },
  };
  const onKey = (key: string): void => actions[aliases[key] ?? key]?.();
  const terminal = openTerminal(streams, onKey, draw);
  terminal.take();
  draw();

  return {
    report,
    started: (started, address) => {
      session = started;
      page = address;
      const { url, kubeconfig } = started;
      show({
        ...state,
        cluster: { url, kubeconfig },
        note: "ready: the operator reloads when you save an edit",
      });
    },
    quit,
    close: () => {
      clearTimeout(timer);
      terminal.giveBack();
    },
  };
}

/** Ctrl-C and Ctrl-D quit; some terminals send other sequences for the arrow keys. */
const aliases: Readonly<Record<string, string>> = {
  "\u0003": "q",
  "\u0004": "q",
  "\u001BOA": "\u001B[A",
  "\u001BOB": "\u001B[B",
};

/** Runs the user's shell in this terminal, with KUBECONFIG set to the session's cluster. */
function runShell(kubeconfig: string): Promise<void> {
  const command = process.env["SHELL"] ?? process.env["ComSpec"] ?? "/bin/sh";
  return new Promise((resolve) => {
    const child = spawn(command, [], { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } });
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}
