import net from "node:net";
import tls from "node:tls";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { BrokenConnectionError } from "./connection-errors.ts";
import { onAbort } from "../clock/on-abort.ts";
import { openTunnel } from "./proxy-tunnel.ts";
import type { LookupReport } from "./transport.ts";

/** Where a connection leads, and how it is secured. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly proxyUrl: string | undefined;
  /** Told how long the server's name took to be looked up. */
  readonly onLookup: ((report: LookupReport) => void) | undefined;
  readonly clock: Clock;
  readonly secure:
    | {
        readonly context: tls.SecureContext;
        /** What the server's certificate must be for. */
        readonly name: string;
        /** Take whoever answers for the server. */
        readonly isTrustBlind: boolean;
        /** Of the last connection: the next one is opened with less work. */
        session: Buffer | undefined;
      }
    | undefined;
}

/** Resolves with a socket that is ready to be written to; rejects with the signal's reason when it is aborted before. */
export async function openSocket(target: SocketTarget, signal: AbortSignal): Promise<net.Socket> {
  const { host, port, proxyUrl, secure, onLookup, clock } = target;
  const tunnel = proxyUrl === undefined ? undefined : await openTunnel(proxyUrl, { host, port, signal });
  if (signal.aborted) tunnel?.destroy();
  signal.throwIfAborted();
  if (tunnel && !secure) return tunnel;
  const socket = secure
    ? tls.connect({ ...(tunnel ? { socket: tunnel } : { host, port }), ...secureOptions(secure) })
    : net.connect({ host, port });
  // A socket may fail more than once, and must not end the program by it.
  socket.on("error", () => {});
  const started = clock.monotonic();
  socket.once("lookup", () => onLookup?.({ host, seconds: (clock.monotonic() - started) / 1000 }));
  if (secure) socket.on("session", (session: Buffer) => void (secure.session = session));
  const forget = onAbort(signal, () => socket.destroy(signal.reason as Error));
  try {
    await opened(socket, secure ? "secureConnect" : "connect");
  } catch (error) {
    if (secure) secure.session = undefined;
    socket.destroy();
    throw error;
  } finally {
    forget();
  }
  return socket;
}

function opened(socket: net.Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const listeners: { [event: string]: (error?: Error) => void } = {
      [event]: () => settle(resolve),
      error: (error) => settle(() => reject(error!)),
      close: () => settle(() => reject(new BrokenConnectionError())),
    };
    const settle = (finish: () => void): void => {
      for (const name in listeners) socket.off(name, listeners[name]!);
      finish();
    };
    for (const name in listeners) socket.on(name, listeners[name]!);
  });
}

function secureOptions(secure: NonNullable<SocketTarget["secure"]>): tls.ConnectionOptions {
  const { context, name, isTrustBlind, session } = secure;
  return {
    secureContext: context,
    ...(isTrustBlind && { rejectUnauthorized: false }),
    ALPNProtocols: ["http/1.1"],
    ...(session && { session }),
    // TLS can't ask for an address by name, but a certificate may be for one.
    ...(net.isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
  };
}
