import { v5 } from 'uuid';

/** Must never change: every card id on every machine depends on it. */
const NAMESPACE = '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41';

/** The id of a card: UUID v5 of its name at the source, the same on every machine. */
export function cardIdOfName(name: string): string {
  return v5(name, NAMESPACE);
}
