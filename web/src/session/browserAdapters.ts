import type { Socket } from "../sync";

/** A WebSocket for the status socket's client. */
export function openSocket(url: string): Socket {
  const inner = new WebSocket(url);
  const socket: Socket = {
    onopen: null,
    onmessage: null,
    onclose: null,
    send: (text) => inner.send(text),
    close: (code) => inner.close(code),
  };
  inner.onopen = () => socket.onopen?.();
  inner.onmessage = (event) => socket.onmessage?.(event);
  inner.onclose = (event) => socket.onclose?.(event);
  return socket;
}
