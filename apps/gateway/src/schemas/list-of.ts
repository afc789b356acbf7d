import { z } from 'zod';

/**
 * A list whose check ends with the first wrong element. Zod would describe every one of them: a second of work for a message of a megabyte.
 *
 * @param words what is wrong with what is no list, or too long a one.
 */
export function listOf<Item extends z.ZodType>(item: Item, most: number, words: string) {
  return z.preprocess(
    (value: unknown) => {
      if (!Array.isArray(value) || value.length > most) return value;
      const wrong = value.findIndex((each) => !item.safeParse(each).success);
      return wrong === -1 ? value : value.slice(0, wrong + 1);
    },
    z.array(item, words).max(most, words),
  );
}
