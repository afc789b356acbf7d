// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IBridgeBase} from "../../src/interfaces/IBridgeBase.sol";
import {IBridgeLock} from "../../src/interfaces/IBridgeLock.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {Vm} from "../fixtures/Vm.sol";

/// @dev The attesters' keys: honest attestations, and every kind of wrong attestation.
abstract contract AttesterKeys {
    enum Flaw {
        TooFew,
        Doubled,
        Reversed,
        Outsider,
        OwnSet,
        FormerSet,
        OtherContract,
        Expired,
        TooLong,
        OtherItems
    }

    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 internal constant MAX_TIME = 600;
    uint256 private constant POOL = 6;
    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    bytes32 private constant PAYMENTS = keccak256("Payments(bytes32 payments,uint256 attesterSet,uint256 validUntil)");
    bytes32 private constant INTENT = keccak256(
        "IntentRelease(bytes32 intentId,bytes32 transferId,uint256 fee,bytes32 signatureHash,"
        "uint256 attesterSet,uint256 validUntil)"
    );
    bytes32 private constant REFUND = keccak256(
        "Refund(bytes32 refundId,address wallet,address token,address recipient,uint256 amount,"
        "uint256 attesterSet,uint256 validUntil)"
    );

    bytes32 private constant INTENT_TERMS = keccak256(
        "XcnWithdrawIntent(address sender,address recipient,uint256 amount,uint256 deadline,string nonce)"
    );

    uint256 internal constant PEER_CHAIN = 8901;
    uint256 internal _time = 1_000_000;
    /// @dev The current set of both contracts, and its keys in the same order.
    address[] internal _members;
    uint256 internal _threshold;
    uint256 internal _setNumber = 1;
    uint256[] private _memberKeys;
    /// @dev All attesters of the campaign, in ascending order of their addresses.
    uint256[POOL] private _pool;

    constructor() {
        for (uint256 i = 0; i < POOL; i++) {
            uint256 key = 0xA77E57 + i;
            uint256 place = i;
            for (; place > 0 && vm.addr(_pool[place - 1]) > vm.addr(key); place--) _pool[place] = _pool[place - 1];
            _pool[place] = key;
        }
    }

    /// @dev Chooses a set with at least `threshold` members; the contracts must be set to it.
    function _choose(uint256 seed, uint256 threshold) internal {
        delete _members;
        delete _memberKeys;
        for (uint256 i = 0; i < POOL; i++) {
            bool needed = POOL - i <= threshold - (_members.length < threshold ? _members.length : threshold);
            // One key of the pool always stays outside the set.
            if (!needed && ((seed >> i) % 2 == 0 || _members.length == POOL - 1)) continue;
            _members.push(vm.addr(_pool[i]));
            _memberKeys.push(_pool[i]);
        }
        _threshold = threshold;
    }

    /// @dev An ABI-encoded array begins with its offset and its length; the rest are the items.
    function _releaseHead(IBridgeLock.Payment[] memory payments) internal pure returns (bytes memory) {
        return abi.encode(PAYMENTS, _hashItems(abi.encode(payments)));
    }

    function _mintHead(IBridgeMint.Payment[] memory payments) internal pure returns (bytes memory) {
        return abi.encode(PAYMENTS, _hashItems(abi.encode(payments)));
    }

    function _intentHead(
        bytes32 id,
        bytes32 transferId,
        uint256 fee,
        bytes memory signature
    ) internal pure returns (bytes memory) {
        return abi.encode(INTENT, id, transferId, fee, keccak256(signature));
    }

    function _refundHead(
        bytes32 id,
        address wallet,
        address token,
        address recipient,
        uint256 amount
    ) internal pure returns (bytes memory) {
        return abi.encode(REFUND, id, wallet, token, recipient, amount);
    }

    /// @dev The digest that a wallet signs, in the domain of BridgeMint on its chain.
    function _intentId(IBridgeLock.Intent memory intent, address bridgeMint) internal pure returns (bytes32) {
        bytes32 structHash = keccak256(
            abi.encode(INTENT_TERMS, intent.sender, intent.recipient, intent.amount, intent.deadline, intent.nonceHash)
        );
        return _typedDigest(PEER_CHAIN, bridgeMint, structHash);
    }

    /// @dev The attestation of honest attesters; empty while the threshold is 0. `head` is the encoded message without
    /// set number and expiry.
    function _attest(
        address bridge,
        bytes memory head
    ) internal view returns (IBridgeBase.Attestation memory attestation) {
        if (_threshold == 0) return attestation;
        attestation.setNumber = _setNumber;
        attestation.validUntil = _time + MAX_TIME;
        attestation.attesters = _members;
        bytes32 digest = _digest(bridge, head, _setNumber, attestation.validUntil);
        attestation.signatures = new IBridgeBase.CompactSignature[](_threshold);
        uint256 spare = _members.length - _threshold;
        // The signers are not always the first members.
        uint256 next = 0;
        for (uint256 i = 0; i < _threshold; i++) {
            if (spare > 0 && (uint256(digest) >> i) & 1 == 1) (spare, next) = (spare - 1, next + 1);
            attestation.signatures[i] = _sign(_memberKeys[next++], digest);
        }
    }

    /// @dev An attestation with one flaw, as a thief with the relayer's key and one signature too few could make it.
    /// @param other What the attesters signed where the items differ.
    function _attestWrongly(
        Flaw flaw,
        address bridge,
        address otherBridge,
        bytes memory head,
        bytes memory other
    ) internal view returns (IBridgeBase.Attestation memory attestation) {
        attestation = _attest(bridge, head);
        IBridgeBase.CompactSignature[] memory signatures = attestation.signatures;
        uint256 last = _threshold - 1;
        bytes32 digest = _digest(bridge, head, _setNumber, attestation.validUntil);
        if (flaw == Flaw.TooFew) {
            attestation.signatures = new IBridgeBase.CompactSignature[](last);
            for (uint256 i = 0; i < last; i++) attestation.signatures[i] = signatures[i];
        } else if (flaw == Flaw.Doubled) {
            if (last > 0) signatures[last] = signatures[last - 1];
            else {
                attestation.signatures = new IBridgeBase.CompactSignature[](2);
                (attestation.signatures[0], attestation.signatures[1]) = (signatures[0], signatures[0]);
            }
        } else if (flaw == Flaw.Reversed && last > 0) {
            (signatures[0], signatures[last]) = (signatures[last], signatures[0]);
        } else if (flaw == Flaw.Outsider || flaw == Flaw.Reversed) {
            signatures[last] = _sign(_outsider(), digest);
        } else if (flaw == Flaw.OwnSet) {
            attestation.attesters = new address[](_threshold);
            for (uint256 i = 0; i < _threshold; i++) {
                attestation.attesters[i] = vm.addr(_outsider());
                signatures[i] = _sign(_outsider(), digest);
            }
        } else if (flaw == Flaw.FormerSet) {
            attestation.setNumber = _setNumber - 1;
            _signAll(attestation, _digest(bridge, head, _setNumber - 1, attestation.validUntil));
        } else if (flaw == Flaw.OtherContract) {
            _signAll(attestation, _digest(otherBridge, head, _setNumber, attestation.validUntil));
        } else if (flaw == Flaw.Expired || flaw == Flaw.TooLong) {
            attestation.validUntil = flaw == Flaw.Expired ? _time - 1 : _time + MAX_TIME + 1;
            _signAll(attestation, _digest(bridge, head, _setNumber, attestation.validUntil));
        } else {
            _signAll(attestation, _digest(bridge, other, _setNumber, attestation.validUntil));
        }
    }

    function _hashItems(bytes memory encoded) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            hash := keccak256(add(encoded, 0x60), sub(mload(encoded), 0x40))
        }
    }

    function _signAll(IBridgeBase.Attestation memory attestation, bytes32 digest) private view {
        for (uint256 i = 0; i < _threshold; i++) attestation.signatures[i] = _sign(_memberKeys[i], digest);
    }

    /// @dev A key of the pool that is not in the set.
    function _outsider() private view returns (uint256) {
        for (uint256 i = 0; i < _memberKeys.length; i++) if (_memberKeys[i] != _pool[i]) return _pool[i];
        return _pool[_memberKeys.length];
    }

    function _digest(
        address bridge,
        bytes memory head,
        uint256 setNumber,
        uint256 validUntil
    ) private view returns (bytes32) {
        bytes32 structHash = keccak256(bytes.concat(head, abi.encode(setNumber, validUntil)));
        return _typedDigest(block.chainid, bridge, structHash);
    }

    function _typedDigest(uint256 chainId, address bridge, bytes32 structHash) private pure returns (bytes32) {
        bytes32 domain = keccak256(abi.encode(DOMAIN, keccak256("Causeway"), keccak256("1"), chainId, bridge));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function _sign(uint256 key, bytes32 digest) private pure returns (IBridgeBase.CompactSignature memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return IBridgeBase.CompactSignature(r, v == 28 ? s | bytes32(uint256(1) << 255) : s);
    }
}
