import { spawn } from "node:child_process";
import type { ReadStream, WriteStream } from "node:tty";
import { stripVTControlCharacters } from "node:util";
import { count } from "../../shared/text.ts";
import type { Report } from "../dev-event.ts";
import type { Session } from "../session.ts";
import type { SessionView } from "./session-view.ts";
import type { LineKeeper } from "../record/record-line.ts";
import { OwnedObjects } from "./owned-objects.ts";
import { type ScreenSize, onOneLine, renderScreen } from "./render-screen.ts";
import type { ScreenState, ScreenView } from "./screen-state.ts";
import { afterEvent, afterMove, afterToggle, emptyScreen, textOfLine } from "./screen-state.ts";

/** Events that arrive together are drawn together. */
const drawAfterMilliseconds = 30;

/** The number of lines of the operator's output that stay on the terminal afterwards. */
const remainingLines = 20;

interface TerminalStreams {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

/** Ctrl-C and Ctrl-D quit; some terminals send other sequences for the arrow keys. */
const aliases: Readonly<Record<string, string>> = {
  "\u0003": "q",
  "\u0004": "q",
  "\u001BOA": "\u001B[A",
  "\u001BOB": "\u001B[B",
};

/** Takes over the terminal and shows a session on it; its last lines remain. */
export function openScreen(
  streams: TerminalStreams,
  { title, root }: { readonly title: string; readonly root: string },
  describeError: (error: unknown) => string,
): SessionView & { readonly owned: LineKeeper } {
  const owned = new OwnedObjects(() => show(state));
  let state: ScreenState = { ...emptyScreen(title, root), owned };
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

  const applySamples = async (): Promise<void> => {
    const applied = await session?.applySamples();
    if (applied !== undefined) show({ ...state, note: `applied ${count(applied, "sample")}` });
  };
  const openPage = async (page: string): Promise<void> => {
    const isOpen = await openBrowser(page);
    show({ ...state, note: isOpen ? "the page is open in your browser" : `open ${page} in a browser` });
  };
  const openShell = async (kubeconfig: string): Promise<void> => {
    terminal.giveBack();
    await runShell(kubeconfig);
    terminal.take();
    show(state);
  };
  const toggle = (view: ScreenView) => () => show(afterToggle(state, view));
  const actions: Readonly<Record<string, () => void>> = {
    s: () => void applySamples().catch((error: unknown) => report({ type: "error", error })),
    d: toggle("diff"),
    e: toggle("failures"),
    "?": toggle("help"),
    o: () => state.cluster && void openPage(state.cluster.page),
    k: () => session && void openShell(session.kubeconfig),
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
    owned,
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
      const last = state.log.slice(-remainingLines).map(textOfLine);
      const remaining = [
        ...(last.length > 0 ? ["The operator's last lines:", ...last] : []),
        ...(state.problem?.split("\n") ?? []),
      ];
      streams.output.write(remaining.map((line) => `${onOneLine(line)}\n`).join(""));
    },
  };
}

/** A terminal in full-screen mode, restored afterwards. */
interface Terminal {
  size(): ScreenSize;
  draw(lines: readonly string[]): void;
  /** Enters full-screen mode: no echo, the alternate screen, no cursor. Does nothing if it is active. */
  take(): void;
  /** Restores the terminal with its earlier content. Does nothing if full-screen mode is not active. */
  giveBack(): void;
}

/** Shows the alternate screen without a cursor, and without line wrapping: a character that is too wide must not shift lines. */
const enterScreen = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leaveScreen = "\u001B[?7h\u001B[?25h\u001B[?1049l";
const escape = "\u001B";

/** Matches one key: an escape sequence, Alt and a key, or a character. Keys in quick succession arrive together. */
const oneKey = new RegExp(`${escape}(?:[[O][0-9;]*[ -/]*[@-~]|[^])|[^]`, "gu");

/** More characters at once are pasted text, and are ignored; arrows and Ctrl-C are not counted as characters. */
const maxCharacters = 4;

/** Prepares a terminal; `onKey` receives the input in full-screen mode. */
export function openTerminal(
  { input, output }: TerminalStreams,
  onKey: (key: string) => void,
  onResize: () => void,
): Terminal {
  let isTaken = false;
  const hasColors = output.hasColors();
  const readKeys = (bytes: Buffer): void => {
    const keys = bytes.toString("utf8").match(oneKey) ?? [];
    const isCharacter = (key: string): boolean => !key.startsWith(escape) && key >= " ";
    const isPasted = keys.filter(isCharacter).length > maxCharacters;
    for (const key of keys) if (!isPasted || !isCharacter(key)) onKey(key);
  };
  const giveBack = (): void => {
    if (!isTaken) return;
    isTaken = false;
    process.off("exit", giveBack);
    output.off("resize", onResize);
    input.off("data", readKeys);
    input.setRawMode(false);
    input.pause();
    output.write(leaveScreen);
  };
  return {
    size: () => ({ columns: output.columns, rows: output.rows }),
    draw: (lines) => {
      if (!isTaken) return;
      const shown = hasColors ? lines : lines.map((line) => stripVTControlCharacters(line));
      output.write(`\u001B[H${shown.map((line) => `${line}\u001B[K`).join("\r\n")}\u001B[J`);
    },
    take: () => {
      if (isTaken) return;
      isTaken = true;
      // An uncaught error ends the process, and must not leave a terminal without echo.
      process.on("exit", giveBack);
      output.write(enterScreen);
      input.setRawMode(true);
      input.on("data", readKeys);
      input.resume();
      output.on("resize", onResize);
    },
    giveBack,
  };
}

/** Opens an address in the user's browser, which `BROWSER` may name. Returns false if no program could be started. */
function openBrowser(address: string): Promise<boolean> {
  const [program, ...args] = openCommand(address);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    // A browser that is still running after two seconds has opened the address.
    child.once("spawn", () => setTimeout(() => resolve(true), 2000).unref());
    child.unref();
  });
}

/** Returns the command that opens an address: of `BROWSER`, or of the system. */
function openCommand(address: string): [string, ...string[]] {
  const { BROWSER } = process.env;
  const [program, ...flags] = (BROWSER ?? "").split(/\s+/u).filter(Boolean);
  if (program !== undefined) return [program, ...flags, address];
  if (process.platform === "darwin") return ["open", address];
  if (process.platform === "win32") return ["cmd", "/c", "start", "", address];
  return ["xdg-open", address];
}

/** Runs the user's shell in this terminal, with KUBECONFIG set to the session's cluster. */
function runShell(kubeconfig: string): Promise<void> {
  const command = process.env["SHELL"] ?? process.env["ComSpec"] ?? "/bin/sh";
  return new Promise((resolve) => {
    const child = spawn(command, [], { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } });
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}
