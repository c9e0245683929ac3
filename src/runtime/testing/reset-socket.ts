import type { Socket } from "node:net";

/**
 * Breaks a connection with a reset. While the end of a socket's own side is under way, Node can't reset it: it reports
 * EINVAL, and never closes the handle, which then keeps a worker thread from ending. Such a connection is destroyed.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
