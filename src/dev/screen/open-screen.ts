import { spawn } from "node:child_process";
import { count } from "../../shared/text.ts";
import type { Report } from "../dev-event.ts";
import type { Session } from "../session.ts";
import type { SessionView } from "../session-view.ts";
import { openBrowser } from "./open-browser.ts";
import { onOneLine, renderScreen } from "./render-screen.ts";
import {
  afterEvent,
  afterMove,
  afterToggle,
  emptyScreen,
  type ScreenState,
  type ScreenView,
  textOfLine,
} from "./screen-state.ts";
import { openTerminal, type TerminalStreams } from "./terminal.ts";

/** Events that arrive together are drawn together. */
const drawAfterMilliseconds = 30;

/** Lines of the operator's output that stay on the terminal. */
const leftLines = 20;

/** Takes over the terminal and shows a session on it; its last lines remain. */
export function openScreen(
  streams: TerminalStreams,
  { title, root }: { readonly title: string; readonly root: string },
  describeError: (error: unknown) => string,
): SessionView {
  let state = emptyScreen(title, root);
  let session: Session | undefined;
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
  const openPage = async (page: string): Promise<void> => {
    const isOpen = await openBrowser(page);
    show({ ...state, note: isOpen ? "the page is open in your browser" : `open ${page} in a browser` });
  };
  const shell = async (kubeconfig: string): Promise<void> => {
    terminal.giveBack();
    await runShell(kubeconfig);
    terminal.take();
    show(state);
  };
  const toggle = (view: ScreenView) => () => show(afterToggle(state, view));
  const actions: Readonly<Record<string, () => void>> = {
    s: () => void samples().catch((error: unknown) => report({ type: "error", error })),
    d: toggle("diff"),
    e: toggle("failures"),
    "?": toggle("help"),
    o: () => state.cluster && void openPage(state.cluster.page),
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
    started: (started, page) => {
      session = started;
      const { url, kubeconfig } = started;
      show({
        ...state,
        cluster: { url, kubeconfig, page },
        note: "ready: the operator reloads when you save an edit",
      });
    },
    quit,
    close: () => {
      clearTimeout(timer);
      terminal.giveBack();
      const last = state.log.slice(-leftLines).map(textOfLine);
      const left = [
        ...(last.length > 0 ? ["The operator's last lines:", ...last] : []),
        ...(state.problem?.split("\n") ?? []),
      ];
      streams.output.write(left.map((line) => `${onOneLine(line)}\n`).join(""));
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
