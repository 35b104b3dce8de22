// Bytes: the word of this lane and the next one, stored twice as far away; 16-byte stores.
// set bytes = 1 2 3 4 5 6 7 8 9
// set words = zeros:20
// expect words = 3 0 5 0 7 0 9 0 11 0 13 0 15 0 17 0 1 2 3 9
ByteAddressBuffer bytes : register(t1);
RWByteAddressBuffer words : register(u1);
[numthreads(8, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint2 two = bytes.Load2(4 * lane);
    words.Store(8 * lane, two.x + two.y);
    if (lane == 7) {
        words.Store4(64, uint4(1, 2, 3, two.y));
    }
}
