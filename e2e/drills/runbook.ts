import { readFileSync } from 'node:fs';

/** A section of a page, whose commands a drill executes. */
export class Section {
  private readonly name: string;
  private readonly text: string;

  private constructor(name: string, text: string) {
    this.name = name;
    this.text = text;
  }

  /**
   * Reads a section with its subsections.
   *
   * @param page path below `docs`.
   * @throws Error without the heading.
   */
  static read(page: string, heading: string): Section {
    const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
    const name = `docs/${page}, ${heading}`;
    const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`There is no section ${name}`);
    return new Section(name, section);
  }

  /** The shell block that contains a phrase. */
  block(phrase: string): string {
    return this.find('sh', phrase);
  }

  /** The query that contains a phrase. */
  query(phrase: string): string {
    return this.find('sql', phrase);
  }

  /** The step that begins with a phrase. */
  step(phrase: string): string {
    const found = [...this.text.matchAll(/^\d+\. (.*)$/gm)].find(([, step = '']) => step.startsWith(phrase));
    if (found === undefined) throw new Error(`No step of ${this.name} begins with ${phrase}`);
    return found[0];
  }

  /** A command that the section names in a block or a sentence. Values can follow it. */
  command(words: string): string {
    const isNamed = [...this.text.matchAll(/`([^`\n]+)`|^ *([a-z].*)$/gm)].some(([, span, line]) =>
      `${(span ?? line ?? '').trim()} `.startsWith(`${words} `),
    );
    if (!isNamed) throw new Error(`${this.name} does not name ${words}`);
    return words;
  }
  private find(language: 'sh' | 'sql', phrase: string): string {
    const blocks = [...this.text.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'gm'))];
    const found = blocks.map(([, block = '']) => block).find((block) => block.includes(phrase));
    if (found === undefined) throw new Error(`No ${language} block of ${this.name} has ${phrase}`);
    return found;
  }
}
