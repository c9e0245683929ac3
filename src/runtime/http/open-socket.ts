import net from "node:net";
import tls from "node:tls";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { BrokenConnectionError } from "./connection-errors.ts";
import { onAbort } from "../clock/on-abort.ts";
import { openTunnel } from "./proxy-tunnel.ts";
import type { LookupReport } from "./transport.ts";

/** The target of a connection, and its TLS settings. */
export interface SocketTarget {
  readonly host: string;
  readonly port: number;
  readonly proxyUrl: string | undefined;
  /** Called with the time of the DNS lookup. */
  readonly onLookup: ((report: LookupReport) => void) | undefined;
  readonly clock: Clock;
  readonly secure:
    | {
        readonly context: tls.SecureContext;
        /** The name that the server's certificate must have. */
        readonly name: string;
        /** Don't verify the server's certificate. */
        readonly isTrustBlind: boolean;
        /** The TLS session of the last connection, resumed by the next one. */
        session: Buffer | undefined;
      }
    | undefined;
}

/** Resolves with a connected socket; rejects with the signal's reason if it is aborted before. */
export async function openSocket(target: SocketTarget, signal: AbortSignal): Promise<net.Socket> {
  const { host, port, proxyUrl, secure, onLookup, clock } = target;
  const tunnel = proxyUrl === undefined ? undefined : await openTunnel(proxyUrl, { host, port, signal });
  if (signal.aborted) tunnel?.destroy();
  signal.throwIfAborted();
  if (tunnel && !secure) return tunnel;
  const socket = secure
    ? tls.connect({ ...(tunnel ? { socket: tunnel } : { host, port }), ...secureOptions(secure) })
    : net.connect({ host, port });
  // A socket may emit several errors; none must end the program.
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
    // SNI doesn't allow IP addresses, but a certificate may be for one.
    ...(net.isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(name, certificate),
  };
}
