export { type Lock, type LockHolder, readLock, tryLock } from "./try-lock.ts";
