import {
  approveCall,
  authorizationTypedData,
  claimCall,
  depositCall,
  depositWithAuthorizationCall,
  depositWithPermitCall,
  intentDigest,
  intentDomain,
  permitTypedData,
  withdrawalCall,
  xcnWithdrawIntentTypes,
  type TransferCall,
  type XcnWithdrawIntent,
} from '@causeway/protocol';
import type { Hex } from 'viem';
import { RecordError } from '../errors.js';
import type { WalletTypedData } from '../wallet/wallet.js';
import type { RegisterStep, SendStep, SignStep, TransferRecord } from '../record/record.js';

/** Builds the call of a step from the terms of the record. */
export function writeCall(record: TransferRecord, step: Pick<SendStep, 'what'>): TransferCall {
  const { contract, token, recipient } = record;
  const amount = BigInt(record.amount);
  if (step.what === 'approval') return approveCall(token, contract, amount);
  if (step.what === 'payment') return paymentCall(record);
  if (record.kind === 'CLAIM') return claimCall(contract, token, recipient);
  if (record.kind === 'DEPOSIT') return writeDeposit(record);
  return withdrawalCall({ bridgeMint: contract, token, amount, recipient, maxFee: BigInt(record.maxFee) });
}

function writeDeposit(record: TransferRecord): TransferCall {
  const terms = {
    bridgeLock: record.contract,
    token: record.token,
    amount: BigInt(record.amount),
    recipient: record.recipient,
  };
  const signed = findStep(record, 'sign');
  if (signed === undefined) return depositCall(terms);
  const { what, nonce, deadline, signature } = signed;
  if (signature === undefined) throw new RecordError('steps.0.signature', 'is missing');
  if (what === 'permit') return depositWithPermitCall(terms, BigInt(deadline), signature);
  const authorization = { from: record.sender, salt: nonce as Hex, validBefore: BigInt(deadline) };
  return depositWithAuthorizationCall(terms, authorization, signature);
}

/** Builds a plain transfer with the intent id as data, which pays exactly this intent. */
function paymentCall(record: TransferRecord): TransferCall {
  const { intentId, relayerWallet } = findStep(record, 'register') ?? {};
  const signed = findStep(record, 'sign');
  if (intentId === undefined || relayerWallet === undefined || signed === undefined)
    throw new RecordError('steps.1', 'is not registered');
  if (intentId.toLowerCase() !== computeIntentId(record, signed))
    throw new RecordError('steps.1.intentId', 'is of another intent');
  return { to: relayerWallet, data: intentId, value: BigInt(record.amount), gas: 100_000n };
}

/** Builds the typed data of a signature. */
export function writeTypedData(record: TransferRecord, step: SignStep): WalletTypedData {
  const { sender, contract, token, chainId, recipient } = record;
  const value = BigInt(record.amount);
  const domain = { ...step.domain, chainId, verifyingContract: token };
  const deadline = BigInt(step.deadline);
  if (step.what === 'permit')
    return permitTypedData(domain, { owner: sender, spender: contract, value, nonce: BigInt(step.nonce), deadline });
  if (step.what === 'authorization') {
    const salt = step.nonce as Hex;
    return authorizationTypedData(domain, {
      from: sender,
      to: contract,
      value,
      validBefore: deadline,
      recipient,
      salt,
    });
  }
  return {
    domain: intentDomain({ chainId, bridgeMint: contract }),
    types: xcnWithdrawIntentTypes,
    primaryType: 'XcnWithdrawIntent',
    message: { ...writeIntent(record, step) },
  };
}

/** Builds the intent of a record. */
function writeIntent(record: TransferRecord, { nonce, deadline }: SignStep): XcnWithdrawIntent {
  const { sender, recipient } = record;
  return { sender, recipient, amount: BigInt(record.amount), deadline: BigInt(deadline), nonce };
}

/** Computes the intent id of a record. */
export function computeIntentId(record: TransferRecord, signed: SignStep): Hex {
  const { chainId, contract: bridgeMint } = record;
  return intentDigest(intentDomain({ chainId, bridgeMint }), writeIntent(record, signed));
}

/** Finds the first step of a kind. */
export function findStep<Name extends 'sign' | 'register'>(
  record: TransferRecord,
  name: Name,
): (Name extends 'sign' ? SignStep : RegisterStep) | undefined {
  return record.steps.find((step) => step.step === name) as (Name extends 'sign' ? SignStep : RegisterStep) | undefined;
}
