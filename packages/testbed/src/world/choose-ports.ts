import getPort from 'get-port';

/** Where the parts of a world listen, on 127.0.0.1. */
export interface Ports {
  readonly ethereum: number;
  readonly partner: number;
  readonly api: number;
}

/**
 * Consecutive ports from a base; without one, the customary ports where they are free and any free ones where not.
 *
 * @throws Error naming the first port of a base that is taken.
 */
export async function choosePorts(base: number | undefined): Promise<Ports> {
  if (base === undefined) {
    const ethereum = await getPort({ port: 8545 });
    return {
      ethereum,
      partner: await getPort({ port: 8546, exclude: [ethereum] }),
      api: await getPort({ port: 3000 }),
    };
  }
  const wanted = [base, base + 1, base + 2] as const;
  for (const port of wanted) {
    if ((await getPort({ port })) !== port) throw new Error(`Port ${port} is taken; choose another --port-base`);
  }
  const [ethereum, partner, api] = wanted;
  return { ethereum, partner, api };
}
